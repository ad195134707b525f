// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "bimodal.hpp"

#include "computing.hpp"
#include "defaults.hpp"
#include "latency.hpp"
#include "measurement.hpp"
#include "pace.hpp"
#include "peer_names.hpp"
#include "peers.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace benchmark {

namespace {

// One function of the series, and when it was done.
struct job
{
    clock::time_point intended{};
    bool sleeps = false;
    std::atomic<clock::duration> latency{}; // 0: it is not done yet
};

class series
{
public:
    explicit series(parameters const& with)
        : length_(with.microseconds("long"))
        , steps_(steps_of(with.microseconds("short")))
        , first_measured_(static_cast<std::size_t>(with["rate"] * with.warm_up.count()))
        , jobs_(first_measured_ + static_cast<std::size_t>(with["rate"] * with.seconds.count()))
        , interval_(interval_of(with["rate"]))
    {
        // Always the same series.
        std::mt19937 random; // NOLINT(cert-msc51-cpp)
        std::bernoulli_distribution is_long(with["long_percent"] / 100);
        for (job& each : jobs_)
            each.sleeps = is_long(random);
    }

    // Submits all at their times, and has `measure` watch those after the warm-up.
    template <class Peer>
    boost::json::object run(Peer& peer, measurement const& measure)
    {
        totals from;
        at_pace(interval_, jobs_.size(), [&](std::size_t i, clock::time_point intended) {
            if (i == first_measured_)
                from = measure.now();
            job& each = jobs_[i];
            each.intended = intended;
            peer.submit([this, &each] { run(each); });
        });
        auto result = measurement::difference(from, measure.now());
        result["latency_us"] = quantiles(latencies(clock::now()));
        result["thread_changes"] = changes_.load();
        result["threads"] = peer.threads();
        return result;
    }

    std::uint64_t done() const { return done_.load(); }

private:
    void run(job& each)
    {
        if (thread_.exchange(std::this_thread::get_id()) != std::this_thread::get_id()
            && &each >= &jobs_[first_measured_])
            ++changes_;
        if (each.sleeps)
            std::this_thread::sleep_for(length_);
        else
            seed_.store(compute(steps_, seed_.load()));
        each.latency.store(clock::now() - each.intended);
        ++done_;
    }

    // Of those that do not sleep themselves.
    load::histogram latencies(clock::time_point end) const
    {
        load::histogram all;
        for (std::size_t i = first_measured_; i != jobs_.size(); ++i)
        {
            if (jobs_[i].sleeps)
                continue;
            auto const latency = jobs_[i].latency.load();
            all.add(latency == clock::duration::zero() ? end - jobs_[i].intended : latency);
        }
        return all;
    }

    clock::duration length_; // of those that sleep
    std::uint64_t steps_;    // of the others
    std::size_t first_measured_;
    std::vector<job> jobs_;
    clock::duration interval_;

    // Of all threads that run functions.
    std::atomic<std::thread::id> thread_{}; // of the last one that began
    std::atomic<std::uint64_t> changes_{0};
    std::atomic<std::uint64_t> seed_{0};
    std::atomic<std::uint64_t> done_{0};
};

} // namespace

workload bimodal_workload()
{
    return {"bimodal", peer_names(),
        with_peers(16, {{"rate", 20'000}, {"short", 1}, {"long", 10'000}, {"long_percent", 1}}),
        [](std::string_view peer, parameters const& with) {
            if (with["rate"] == 0)
                throw std::invalid_argument("--rate must be more than 0");
            series jobs(with);
            measurement const measure(with, [&] { return jobs.done(); });
            boost::json::object result;
            visit_peer(peer, with, [&](auto& p) { result = jobs.run(p, measure); });
            return result;
        }};
}

} // namespace benchmark
