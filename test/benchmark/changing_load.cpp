// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "changing_load.hpp"

#include "computing.hpp"
#include "counter.hpp"
#include "defaults.hpp"
#include "measurement.hpp"
#include "pace.hpp"
#include "peer_names.hpp"
#include "peers.hpp"

#include <boost/json/value.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace benchmark {

namespace {

constexpr std::chrono::milliseconds bucket(10);
constexpr std::size_t buckets_of_a_rate = 5;

// What the chains do now. Relaxed: a chain may see a change one handler later.
struct phase
{
    std::atomic<std::uint64_t> steps;
    std::atomic<bool> sleepers{false};
};

template <class Peer>
struct computing_chain
{
    Peer* peer;
    phase const* now;
    counter* done;
    std::uint64_t seed = 0;

    void operator()()
    {
        seed = compute(now->steps.load(std::memory_order_relaxed), seed);
        done->add();
        peer->submit(*this);
    }
};

template <class Peer>
struct sleeping_chain
{
    Peer* peer;
    phase const* now;
    std::chrono::nanoseconds time;

    void operator()() const
    {
        std::this_thread::sleep_for(time);
        if (now->sleepers.load(std::memory_order_relaxed))
            peer->submit(*this);
    }
};

// In so many buckets: handlers per second.
double rate(std::vector<std::uint64_t> const& buckets, std::size_t from, std::size_t n)
{
    auto const first = buckets.begin() + static_cast<std::ptrdiff_t>(from);
    return static_cast<double>(
               std::accumulate(first, first + static_cast<std::ptrdiff_t>(n), std::uint64_t{}))
        / (static_cast<double>(n) * std::chrono::duration<double>(bucket).count());
}

// Of the second half.
double steady_rate(std::vector<std::uint64_t> const& buckets)
{
    auto const half = buckets.size() / 2;
    return rate(buckets, half, buckets.size() - half);
}

// The first bucket from which on the rate is 95 % of the steady one; none if the time was too short
// for that.
boost::json::value settled_after(std::vector<std::uint64_t> const& buckets)
{
    auto const half = buckets.size() / 2;
    if (half < buckets_of_a_rate)
        return nullptr;
    double const enough = 0.95 * steady_rate(buckets);
    std::size_t i = 0;
    while (i != half && rate(buckets, i, buckets_of_a_rate) < enough)
        ++i;
    return static_cast<std::int64_t>(i) * bucket.count();
}

boost::json::object measure_changing_load(std::string_view peer, parameters const& with)
{
    auto const short_steps = steps_of(with.microseconds("short"));
    auto const long_steps = steps_of(with.microseconds("length"));
    auto const quarter = std::chrono::duration_cast<clock::duration>(with.seconds) / 4;
    std::deque<counter> counters(with.count("chains"));
    phase now{short_steps};
    boost::json::object result;
    measurement const measure(with, [&] { return sum(counters); });
    visit_peer(peer, with, [&]<class Peer>(Peer& p) {
        for (counter& c : counters)
            p.submit(computing_chain<Peer>{&p, &now, &c});
        std::this_thread::sleep_for(with.warm_up);

        auto const watch = [&](std::string const& name) {
            std::vector<std::uint64_t> buckets;
            std::uint64_t before = sum(counters);
            at_pace(bucket, static_cast<std::size_t>(quarter / bucket), [&](std::size_t i, auto) {
                std::uint64_t const done = sum(counters);
                if (i != 0)
                    buckets.push_back(done - before);
                before = done;
            });
            result[name + "_ms"] = settled_after(buckets);
            if (!buckets.empty())
                result[name + "_per_second"] = steady_rate(buckets);
        };
        totals const from = measure.now();
        now.steps.store(long_steps, std::memory_order_relaxed);
        watch("longer");
        now.steps.store(short_steps, std::memory_order_relaxed);
        watch("shorter");
        now.sleepers.store(true, std::memory_order_relaxed);
        for (std::size_t i = 0; i != with.count("long_chains"); ++i)
            p.submit(sleeping_chain<Peer>{&p, &now, with.microseconds("long_length")});
        watch("sleepers");
        now.sleepers.store(false, std::memory_order_relaxed);
        watch("awake");
        for (auto& [key, value] : measurement::difference(from, measure.now()))
            result[key] = std::move(value);
        result["threads"] = p.threads();
    });
    return result;
}

} // namespace

workload changing_load_workload()
{
    return {"changing_load", peer_names({"event_loop"}),
        with_peers(16,
            {{"chains", 16}, {"short", 0.5}, {"length", 100}, {"long_chains", 8},
                {"long_length", 10'000}}),
        measure_changing_load};
}

} // namespace benchmark
