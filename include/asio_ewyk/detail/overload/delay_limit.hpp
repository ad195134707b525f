// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OVERLOAD_DELAY_LIMIT_HPP
#define ASIO_EWYK_DETAIL_OVERLOAD_DELAY_LIMIT_HPP

#include <asio_ewyk/detail/os/deadline.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>

namespace asio_ewyk::detail {

// Decides by how long tasks have waited in a first-in, first-out queue which of them to refuse.
//
// A burst makes a queue long for a moment, and that is what queues are for; a queue that stays long
// only adds delay. So nothing is refused before all delays of an interval were above the target
// (CoDel, RFC 8289). From then on what has waited for more than twice the target is, until the
// overload ends. CoDel itself refuses one now and then, as its senders slow down; submitters do
// not.
//
// All members may be called by any thread. Relaxed: what is stored publishes nothing, and one that
// reads a late value decides as it would have a moment before.
class delay_limit
{
public:
    using duration = std::chrono::nanoseconds;

    // What ends an overload. The first short delay does where each delay is known. Where some are
    // estimated from a sample, what is refused makes the next sample short, though there is as much
    // to do as before: then it ends when no delay was long for an interval.
    enum class ends
    {
        by_one_short_delay,
        without_long_delays,
    };

    delay_limit(duration target, duration interval) noexcept
        : target_(target)
        , most_(target > duration::max() / 2 ? duration::max() : 2 * target)
        , interval_(interval)
    {
    }

    // Whether a task that has waited for so long is to run.
    bool admits(duration delay, time_point now, ends end = ends::by_one_short_delay) noexcept
    {
        rep since = above_since_.load(std::memory_order_relaxed);
        last_.store(delay.count(), std::memory_order_relaxed);
        if (delay <= target_)
        {
            if (since != 0 && end == ends::by_one_short_delay)
                above_since_.store(0, std::memory_order_relaxed);
            return true;
        }
        rep const at = nonzero_ticks(now);
        rep const above = last_above_.load(std::memory_order_relaxed);
        last_above_.store(at, std::memory_order_relaxed);
        // What came when no delay had been long for so long did not wait behind what was late then.
        if (since == 0 || at - delay.count() - above > pause())
        {
            above_since_.compare_exchange_strong(since, at, std::memory_order_relaxed);
            return true;
        }
        return delay <= most_ || at - since < interval_.count();
    }

    // Whether all delays of an interval were above the target, and the last was seen less than an
    // interval ago: without tasks nothing is known.
    bool exceeded(time_point now) const noexcept
    {
        rep const since = above_since_.load(std::memory_order_relaxed);
        rep const above = last_above_.load(std::memory_order_relaxed);
        return since != 0 && above - since >= interval_.count()
            && nonzero_ticks(now) - above <= pause();
    }

    // The last delay.
    duration last() const noexcept { return duration(last_.load(std::memory_order_relaxed)); }

private:
    using rep = duration::rep;

    // After so long without tasks nothing is known.
    rep pause() const noexcept { return std::max(interval_, target_).count(); }

    duration const target_;
    duration const most_;
    duration const interval_;

    std::atomic<rep> above_since_{0}; // when the first of these delays was seen; 0: none
    std::atomic<rep> last_above_{0};  // when the last one was
    std::atomic<rep> last_{0};
};

} // namespace asio_ewyk::detail

#endif
