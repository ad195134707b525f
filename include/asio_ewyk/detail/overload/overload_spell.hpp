// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OVERLOAD_OVERLOAD_SPELL_HPP
#define ASIO_EWYK_DETAIL_OVERLOAD_OVERLOAD_SPELL_HPP

#include <asio_ewyk/detail/os/deadline.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>

namespace asio_ewyk::detail {

// Decides what to refuse where not each delay is known, but now and then one of them. As in
// delay_limit nothing is refused before delays have been above the target for an interval. What is
// refused makes the next delays short, though there is as much to do as before; so an overload
// lasts until there was no delay above the target for an interval.
//
// All members may be called by any thread. If two are called at the same time, each does what it
// could have done alone.
class overload_spell
{
public:
    using duration = std::chrono::nanoseconds;

    overload_spell(duration target, duration interval) noexcept
        : target_(target)
        , most_(target > duration::max() / 2 ? duration::max() : 2 * target)
        , interval_(interval)
    {
    }

    // A delay that was measured, or a part of one.
    void saw(duration delay, time_point now) noexcept
    {
        if (delay <= target_)
            return;
        rep const at = nonzero_ticks(now);
        rep const before = last_.load(std::memory_order_relaxed);
        // The delay itself is no silence.
        if (before == 0 || at - delay.count() - before > pause())
            since_.store(at, std::memory_order_relaxed);
        // Release: one that reads it knows since when.
        last_.store(at, std::memory_order_release);
    }

    // Whether there is an overload.
    bool lasts(time_point now) const noexcept
    {
        rep const last = last_.load(std::memory_order_acquire);
        return last != 0 && last - since_.load(std::memory_order_relaxed) >= interval_.count()
            && nonzero_ticks(now) - last <= pause();
    }

    // Whether what is thought to have waited for so long is not to run.
    bool refuses(duration delay, time_point now) const noexcept
    {
        return delay > most_ && lasts(now);
    }

private:
    using rep = duration::rep;

    // So long without long delays ends it. No delay is known to be long before the target is over.
    rep pause() const noexcept { return std::max(interval_, target_).count(); }

    duration const target_;
    duration const most_;
    duration const interval_;

    std::atomic<rep> since_{0}; // the first of the spell
    std::atomic<rep> last_{0};  // the last that was above the target; 0: none was
};

} // namespace asio_ewyk::detail

#endif
