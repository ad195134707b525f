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

#include <asio_ewyk/worker_pool.hpp>

#include <algorithm>
#include <array>
#include <atomic>
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
        at_pace(interval_, done_at_.size(), [&](std::size_t i, clock::time_point intended) {
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
        });
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

std::vector<std::string_view> overloaded_peers()
{
    std::vector<std::string_view> names{plain_peers[1], "eat_what_you_kill+grace"};
    names.insert(names.end(), bounded_peers.begin(), bounded_peers.end());
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
            else
                visit_peer(peer, with, run);
            return result;
        }};
}

} // namespace benchmark
