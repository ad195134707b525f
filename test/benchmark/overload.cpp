// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "overload.hpp"

#include "computing.hpp"
#include "defaults.hpp"
#include "latency.hpp"
#include "measurement.hpp"
#include "pace.hpp"
#include "peers.hpp"
#include "shedding_peer.hpp"

#include <asio_ewyk/overload/load_shedder.hpp>
#include <asio_ewyk/worker_pool.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace benchmark {

namespace {

constexpr std::array<std::string_view, 2> bounded_peers{
    "worker_pool, bounded", "event_loop, bounded"};

// Peers by themselves, each with a load_shedder in front of it.
constexpr std::array<std::array<std::string_view, 2>, 3> shedding_peers{
    {{"eat_what_you_kill+grace, shedding", "eat_what_you_kill+grace"},
        {"event_loop, shedding", "event_loop"}, {"worker_pool, shedding", ""}}};

class bounded_pool
{
public:
    bounded_pool(std::size_t threads, std::size_t max_waiting)
        : pool_(options(threads, max_waiting))
    {
    }

    ~bounded_pool() { pool_.stop(); }

    template <class F>
    void submit(F&& f)
    {
        asio::post(pool_, std::forward<F>(f));
    }

private:
    static ewyk::worker_pool_options options(std::size_t threads, std::size_t max_waiting)
    {
        ewyk::worker_pool_options chosen;
        chosen.max_threads = threads;
        chosen.max_queue = max_waiting;
        chosen.when_full = ewyk::queue_full::reject;
        return chosen;
    }

    ewyk::worker_pool pool_;
};

class bounded_loop
{
public:
    explicit bounded_loop(std::size_t max_waiting)
        : loop_(ewyk::event_loop_options{.max_pending_tasks = max_waiting})
    {
    }

    template <class F>
    void submit(F&& f)
    {
        asio::post(loop_, std::forward<F>(f));
    }

private:
    ewyk::event_loop loop_;
};

class pool
{
public:
    explicit pool(std::size_t threads)
        : pool_(ewyk::worker_pool_options{.max_threads = threads})
    {
    }

    ~pool() { pool_.stop(); }

    std::size_t threads() const { return pool_.threads(); }

    ewyk::worker_pool& context() { return pool_; }

private:
    ewyk::worker_pool pool_;
};

double cores()
{
    return std::max(1u, std::thread::hardware_concurrency());
}

// The functions, and which of them were of use.
class demand
{
public:
    explicit demand(parameters const& with)
        : steps_(steps_of(with.microseconds("length")))
        , deadline_(with.microseconds("deadline"))
        , interval_(interval_of(with["load"] * cores() * 1e6 / with["length"]))
        , first_measured_(count(with.warm_up))
        , done_at_(first_measured_ + count(with.seconds))
    {
    }

    template <class Peer>
    boost::json::object run(Peer& peer, measurement const& measure)
    {
        totals from;
        std::uint64_t refused = 0;
        auto const submit = [&](std::size_t i, clock::time_point intended) {
            if (i == first_measured_)
            {
                from = measure.now();
                refused = 0;
            }
            try
            {
                peer.submit([this, i, intended] { run(i, intended); });
            }
            catch (ewyk::queue_full_error const&)
            {
                ++refused;
            }
        };
        at_pace(interval_, done_at_.size(), submit, std::chrono::milliseconds(1));
        auto result = measurement::difference(from, measure.now());
        result["submitted"] = done_at_.size() - first_measured_;
        result["refused"] = refused;
        result["latency_us"] = quantiles(latencies());
        return result;
    }

    std::uint64_t useful() const { return useful_.load(); }

private:
    std::size_t count(std::chrono::duration<double> time) const
    {
        return static_cast<std::size_t>(time / interval_);
    }

    void run(std::size_t i, clock::time_point intended)
    {
        seed_.store(compute(steps_, seed_.load()));
        auto const latency = clock::now() - intended;
        done_at_[i].store(latency);
        if (latency <= deadline_)
            ++useful_;
    }

    // Of those that are done.
    load::histogram latencies() const
    {
        load::histogram all;
        for (std::size_t i = first_measured_; i != done_at_.size(); ++i)
            if (auto const latency = done_at_[i].load(); latency != clock::duration::zero())
                all.add(latency);
        return all;
    }

    std::uint64_t steps_;
    clock::duration deadline_;
    clock::duration interval_;
    std::size_t first_measured_;
    std::vector<std::atomic<clock::duration>> done_at_; // after it was intended; 0: not done yet
    std::atomic<std::uint64_t> seed_{0};
    std::atomic<std::uint64_t> useful_{0};
};

// The name of the peer that has a shedder in front of it; null if that is none of these.
std::string_view const* shed_by(std::string_view name)
{
    for (auto const& [shedding_name, peer] : shedding_peers)
        if (name == shedding_name)
            return &peer;
    return nullptr;
}

// In an overload it is twice the delay that a function may wait: half of the deadline, as in the
// bounded ones. The threads are as many as the cores: what has begun is not measured, and more would
// share these.
template <class Run>
void shed(std::string_view inner, parameters const& given, Run run)
{
    parameters::map values = given.all();
    values["max_threads"] = cores();
    parameters const with(values);
    ewyk::load_shedder shedder({.max_queue_delay = with.microseconds("deadline") / 4});
    auto const run_shedding = [&](auto& peer) {
        shedding_peer in_front(peer, shedder);
        run(in_front, shedder);
    };
    if (inner.empty())
    {
        pool all(static_cast<std::size_t>(cores()));
        return run_shedding(all);
    }
    visit_peer(inner, with, [&](auto& peer) {
        if constexpr (requires { peer.context(); })
            run_shedding(peer);
    });
}

std::vector<std::string_view> overloaded_peers()
{
    std::vector<std::string_view> names{plain_peers[1], "eat_what_you_kill+grace"};
    names.insert(names.end(), bounded_peers.begin(), bounded_peers.end());
    for (auto const& [name, peer] : shedding_peers)
        names.push_back(name);
    return names;
}

} // namespace

workload overload_workload()
{
    return {"overload", overloaded_peers(),
        with_peers(cores(), {{"load", 2}, {"length", 1000}, {"deadline", 50'000}}),
        [](std::string_view peer, parameters const& with) {
            if (with["load"] <= 0 || with["length"] <= 0)
                throw std::invalid_argument("--load and --length must be more than 0");
            demand functions(with);
            measurement const measure(with, [&] { return functions.useful(); });
            boost::json::object result;
            auto const run = [&](auto& p) { result = functions.run(p, measure); };
            auto const waiting = [&](double threads) {
                return static_cast<std::size_t>(
                    std::max(1.0, threads * with["deadline"] / with["length"] / 2));
            };
            if (peer == bounded_peers[0])
            {
                bounded_pool pool(static_cast<std::size_t>(cores()), waiting(cores()));
                run(pool);
            }
            else if (peer == bounded_peers[1])
            {
                bounded_loop loop(waiting(1));
                run(loop);
            }
            else if (auto const* const inner = shed_by(peer))
                shed(*inner, with, [&](auto& p, ewyk::load_shedder const& shedder) {
                    run(p);
                    result["refused"] = shedder.metrics().refused;
                });
            else
                visit_peer(peer, with, run);
            return result;
        }};
}

} // namespace benchmark
