// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_METRICS_DELAY_METER_HPP
#define ASIO_EWYK_DETAIL_METRICS_DELAY_METER_HPP

#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/metrics.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace asio_ewyk::detail {

// Estimates how long things wait in a first-in, first-out queue, from nothing but how many were put
// in and taken out. So it costs the queue nothing, and puts nothing into it.
//
// A call of look() remembers how many there were; when so many have been taken out, the last of
// them has waited since. If that was between two calls, the point is found by the rate at which
// things were taken (Little's law).
//
// Any thread may ask. What is remembered belongs to the thread that has set busy_; another one that
// asks at the same time gets the figures as they are.
class delay_meter
{
public:
    using duration = std::chrono::nanoseconds;

    // A list in braces reads the two in this order.
    struct counts
    {
        std::uint64_t taken;   // so many were taken out so far
        std::uint64_t waiting; // so many were left then
    };

    // All but threads_left.
    load_metrics look(counts n, time_point now = std::chrono::steady_clock::now()) noexcept
    {
        if (!busy_.exchange(true, std::memory_order_acquire))
        {
            update(now, n.taken, n.waiting);
            busy_.store(false, std::memory_order_release);
        }
        return {duration(last_.load(std::memory_order_relaxed)),
            duration(average_.load(std::memory_order_relaxed)),
            static_cast<std::size_t>(n.waiting)};
    }

private:
    using rep = duration::rep;

    void update(time_point now, std::uint64_t taken, std::uint64_t waiting) noexcept
    {
        rep const age = std::chrono::duration_cast<duration>(now - since_).count();
        if (since_ == time_point{})
            return begin(now, taken, waiting);
        // Another thread may have read the clock, or the figures, before the last update.
        if (age <= 0 || age < seen_)
            return;
        // An empty queue tells that none is followed any more, even if what was taken and what
        // waited were read at different times.
        if (waiting != 0 && taken < taken_then_ + waiting_then_)
        {
            seen_ = age;
            if (age > last_.load(std::memory_order_relaxed))
                last_.store(age, std::memory_order_relaxed);
            return;
        }
        rep delay = seen_;
        // Where the queue has run empty, the rate is that of a pause as well; and after a long time
        // it may have in between.
        if (waiting != 0 && waiting_then_ != 0)
            delay = std::clamp(static_cast<rep>(static_cast<double>(age)
                                   * static_cast<double>(waiting_then_)
                                   / static_cast<double>(taken - taken_then_)),
                seen_, std::max(seen_, std::min(age, rep(duration(window).count()))));
        last_.store(delay, std::memory_order_relaxed);
        // The longer that was, the more it counts.
        double const weight
            = static_cast<double>(age) / static_cast<double>(age + duration(window).count());
        rep const average = average_.load(std::memory_order_relaxed);
        average_.store(average + static_cast<rep>(weight * static_cast<double>(delay - average)),
            std::memory_order_relaxed);
        begin(now, taken, waiting);
    }

    void begin(time_point now, std::uint64_t taken, std::uint64_t waiting) noexcept
    {
        since_ = now;
        taken_then_ = taken;
        waiting_then_ = waiting;
        seen_ = 0;
    }

    static constexpr std::chrono::seconds window{1};

    std::atomic<bool> busy_{false};
    time_point since_{}; // the last one that waited then is followed
    std::uint64_t taken_then_ = 0;
    std::uint64_t waiting_then_ = 0;
    rep seen_ = 0; // how long it has waited at least

    // Written by the thread that has set busy_. Relaxed: nothing is published with them.
    std::atomic<rep> last_{0};
    std::atomic<rep> average_{0};
};

} // namespace asio_ewyk::detail

#endif
