// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_LATENESS_HPP
#define ASIO_EWYK_DETAIL_WATCH_LATENESS_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/watch/awake_time.hpp>
#include <asio_ewyk/detail/watch/look_interval.hpp>
#include <asio_ewyk/detail/os/thread_probe.hpp>

#include <algorithm>
#include <chrono>

namespace asio_ewyk::detail {

// Whether a task of a lease is late, and when the watchdog looks again. No threads, no clock.
//
// The producer is late if its lease is the same in two looks that are the grace apart, and its
// thread sleeps elsewhere than where it waits for I/O; or if it computes, after ten times the grace
// and 4 ms at least.
//
// What has the right and has not waited yet, or where another thread may wait for I/O, may sleep on
// a lock in a handler, or because it waits for Asio's condition. Then the watchdog asks for a sign
// of life: if nobody gives one for a millisecond, it is a handler.
//
// Where the producer does nothing the watchdog sleeps without end, and the producer wakes it with
// its next task. The watchdog says so first, and looks once more before it sleeps.
class lateness
{
public:
    using duration = std::chrono::nanoseconds;

    // A look that finds a task is followed by another one after so long at least.
    static constexpr duration shortest = std::chrono::microseconds(100);

    // What is seen in a look.
    struct snapshot
    {
        time_point now;
        lease::sight right;
        thread_probe::state thread{}; // the producer, as the system tells
        bool roused = false;     // the producer has woken the watchdog
        bool observes = false;   // producers tell when they wait for I/O,
        bool exact = false;      // and it is known for which file
        bool alone = true;       // nobody else waits inside the io_context
        bool has_sign = false;   // of life, since one was asked for
        bool lent = false;       // the lease is not the owner's, or another thread is inside
        bool soon = false;       // the next look is to come soon for other reasons
    };

    // What comes of it.
    struct verdict
    {
        bool late = false; // the lease is to be ended
        bool asks_for_sign = false;
        bool calls_owner = false;
        bool needs_sentinel = false; // of the CPU of the lease
    };

    explicit lateness(duration grace) noexcept
        : grace_(grace)
        , interval_(grace)
    {
    }

    verdict look(snapshot const& s) noexcept;

    // Whether look() needs to know what the thread of that lease does: it costs a system call or
    // more. A lease that has changed is that of a thread that runs.
    bool asks(lease::sight const& s) const noexcept
    {
        return s.leased && s.what != lease::activity::polls
            && (!may_be_late(s) || (s.which == seen_.which && s.what == seen_.what));
    }

    // Whether look() is to be called, rather than for what a sentinel tells.
    bool is_due(time_point now, bool roused) const noexcept
    {
        return now >= next_ || (asleep_ && roused);
    }

    // Between two looks: whether the task of that lease is late. `told`: what its thread did for
    // the grace, by a sentinel.
    bool is_late(snapshot const& s, thread_probe::state told) noexcept;

    // Whether the producer is to wake the watchdog, which sleeps or looks once more before that.
    bool sleeps() const noexcept { return asleep_; }

    // There is nothing to look at.
    void reset() noexcept
    {
        asleep_ = true;
        next_ = time_point::min();
    }

    // When the next look is due.
    time_point next() const noexcept { return next_; }

private:
    // CPU-bound tasks get this multiple of the grace: another thread would take the CPU from them.
    static constexpr int computing = 10;
    static constexpr duration longest_nap = std::chrono::milliseconds(4);

    // For so long after a late task the sentinel is needed at each progress that is seen.
    static constexpr duration remembers = std::chrono::seconds(1);

    // So long a sign of life may take. The pause until the watchdog asks again grows while signs
    // come.
    static constexpr duration moment = std::chrono::milliseconds(1);
    static constexpr duration longest_pause = std::chrono::milliseconds(64);

    // If nothing comes for so long, a thread is not needed any more that produces for the owner; so
    // that is called, at growing intervals.
    static constexpr duration shortest_loan = std::chrono::milliseconds(8);
    static constexpr duration longest_loan = std::chrono::seconds(1);

    // Where producers do not tell when they wait, one that waits is looked at after so long, at
    // multiples of `step`: so the watchdog wakes once for several.
    static constexpr duration soon = std::chrono::milliseconds(12);
    static constexpr duration step = std::chrono::milliseconds(4);
    static constexpr duration seldom = std::chrono::milliseconds(100);
    static constexpr duration lately = std::chrono::seconds(1); // has something run

    enum class answer
    {
        no,
        perhaps,
        yes,
    };

    static bool may_be_late(lease::sight const& s) noexcept
    {
        return s.leased && s.what == lease::activity::busy;
    }

    duration longest_task() const noexcept
    {
        return computing * std::clamp(grace_, duration(1), duration::max() / computing);
    }

    static answer blocks(snapshot const& s, thread_probe::state thread) noexcept;
    answer find(snapshot const& s) noexcept;
    bool gives_no_sign(snapshot const& s, verdict& v) noexcept;
    bool is_lent(snapshot const& s, bool changed, verdict& v) noexcept;
    duration next_look(snapshot const& s, bool changed) noexcept;

    duration const grace_;
    awake_time awake_time_;
    look_interval interval_;
    bool second_ = false; // the next look comes early, for what the last one has found
    lease::sight seen_;
    time_point seen_since_{};
    time_point progress_{};
    time_point last_late_{};
    bool waits_for_sign_ = false;
    time_point asked_for_sign_{};
    lease::number asked_which_ = 0;
    duration pause_ = moment;
    duration loan_ = shortest_loan;
    bool asleep_ = true; // or about to: the producer wakes the watchdog
    time_point asleep_since_{};
    time_point next_ = time_point::min();
    time_point roused_{};
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/watch/lateness.ipp>
#endif

#endif
