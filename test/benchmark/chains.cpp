// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "chains.hpp"

#include "computing.hpp"
#include "counter.hpp"
#include "measurement.hpp"
#include "shedding_peer.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <thread>

namespace benchmark {

namespace {

// The work of one chain, ready to be done many times; counts how often it was done.
class worker : public counter
{
public:
    worker(work const& each, std::uint64_t steps)
        : sleeps_(each.sleeps)
        , time_(each.time)
        , steps_(steps)
    {
    }

    bool sleeps() const noexcept { return sleeps_; }

    void sleep() noexcept
    {
        std::this_thread::sleep_for(time_);
        add();
    }

    void compute() noexcept
    {
        seed_ = benchmark::compute(steps_, seed_);
        add();
    }

private:
    bool sleeps_;
    std::chrono::nanoseconds time_;
    std::uint64_t steps_;
    std::uint64_t seed_ = 0;
};

template <class Peer, bool Sleeps>
class chain
{
public:
    chain(Peer& peer, worker& does) noexcept
        : peer_(&peer)
        , does_(&does)
    {
    }

    void operator()() const
    {
        if constexpr (Sleeps)
            does_->sleep();
        else
            does_->compute();
        peer_->submit(*this);
    }

private:
    Peer* peer_;
    worker* does_;
};

std::deque<worker> workers_for(work const& each)
{
    auto const steps = each.sleeps ? 0 : steps_of(each.time);
    std::deque<worker> workers;
    while (workers.size() != each.chains)
        workers.emplace_back(each, steps);
    return workers;
}

template <class Peer>
void begin(Peer& peer, std::deque<worker>& workers)
{
    for (worker& w : workers)
        if (w.sleeps())
            peer.submit(chain<Peer, true>(peer, w));
        else
            peer.submit(chain<Peer, false>(peer, w));
}

} // namespace

boost::json::object measure_chains(
    std::string_view peer, parameters const& with, work const& each, work const& beside)
{
    auto workers = workers_for(each);
    auto others = workers_for(beside);
    boost::json::object result;
    measurement measure(with, [&] { return sum(workers); });
    visit_peer_or_shedder(peer, with, [&](auto& p) {
        begin(p, others);
        begin(p, workers);
        auto const began = std::chrono::steady_clock::now();
        std::uint64_t const before = sum(others);
        result = measure.watch();
        std::chrono::duration<double> const time = std::chrono::steady_clock::now() - began;
        result["long_per_second"] = static_cast<double>(sum(others) - before) / time.count();
        result["threads"] = p.threads();
    });
    return result;
}

} // namespace benchmark
