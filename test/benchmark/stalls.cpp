// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "stalls.hpp"

#include "latency.hpp"
#include "measurement.hpp"
#include "peers.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace benchmark {

namespace {

using clock = std::chrono::steady_clock;

// Ten reports a second are not too many for a context, and there are two of each handler.
constexpr std::chrono::milliseconds pause{200};

// One handler after the other that does not return before it is reported.
class stalled
{
public:
    explicit stalled(clock::duration threshold)
        : threshold_(threshold)
    {
    }

    void told(ewyk::stall_report const& report)
    {
        auto const now = clock::now();
        std::lock_guard const lock(mutex_);
        if (report.kind != ewyk::stall_kind::running || told_)
            return;
        told_ = true;
        ++reports_;
        latencies_.add(std::max(now - begun_ - threshold_, clock::duration::zero()));
        changed_.notify_all();
    }

    void forget()
    {
        std::lock_guard const lock(mutex_);
        latencies_ = {};
    }

    template <class Peer>
    void one(Peer& peer)
    {
        bool done = false;
        peer.submit([&] {
            std::unique_lock lock(mutex_);
            begun_ = clock::now();
            told_ = false;
            changed_.wait(lock, [&] { return told_; });
            done = true;
            changed_.notify_all();
        });
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return done; });
    }

    boost::json::object latencies()
    {
        std::lock_guard const lock(mutex_);
        return quantiles(latencies_);
    }

    std::uint64_t reports()
    {
        std::lock_guard const lock(mutex_);
        return reports_;
    }

private:
    clock::duration const threshold_;
    std::mutex mutex_;
    std::condition_variable changed_;
    clock::time_point begun_;
    bool told_ = true;
    std::uint64_t reports_ = 0;
    load::histogram latencies_;
};

template <class Peer>
void go_on(Peer& peer)
{
    peer.submit([&peer] { go_on(peer); });
}

template <class Options>
Options options(stalled& handlers, parameters const& with)
{
    Options chosen;
    chosen.stall_threshold = with.microseconds("threshold");
    chosen.on_stall = [&handlers](ewyk::stall_report const& r) { handlers.told(r); };
    return chosen;
}

template <class Peer>
boost::json::object run(Peer& peer, stalled& handlers, parameters const& with)
{
    for (std::size_t i = 0; i != with.count("chains"); ++i)
        go_on(peer);
    measurement const measure(with, [&] { return handlers.reports(); });
    auto const until = [&](clock::time_point end) {
        do
        {
            std::this_thread::sleep_for(pause);
            handlers.one(peer);
        } while (clock::now() < end);
    };
    auto const after = [](std::chrono::duration<double> time) {
        return clock::now() + std::chrono::duration_cast<clock::duration>(time);
    };
    until(after(with.warm_up));
    handlers.forget();
    totals const from = measure.now();
    until(after(with.seconds));
    auto result = measurement::difference(from, measure.now());
    result["latency_us"] = handlers.latencies();
    return result;
}

} // namespace

workload stalls_workload()
{
    return {"stalls", {"eat_what_you_kill+grace", "event_loop"},
        {{"threshold", 10'000}, {"chains", 0}},
        [](std::string_view peer, parameters const& with) {
            stalled handlers(with.microseconds("threshold"));
            if (peer == "event_loop")
            {
                loop events(options<ewyk::event_loop_options>(handlers, with));
                return run(events, handlers, with);
            }
            run_by_threads<ewyk::strategy_context> context(
                1, options<ewyk::strategy_options>(handlers, with));
            return run(context, handlers, with);
        }};
}

} // namespace benchmark
