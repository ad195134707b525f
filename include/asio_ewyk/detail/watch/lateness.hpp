// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_LATENESS_HPP
#define ASIO_EWYK_DETAIL_WATCH_LATENESS_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/watch/awake_time.hpp>
#include <asio_ewyk/detail/watch/check_interval.hpp>
#include <asio_ewyk/detail/os/thread_probe.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace asio_ewyk::detail {

// Of the handler that the producer runs, where Asio tells of each.
struct handler_sight
{
    bool told = false;       // whether there is one is known
    bool runs = false;       // there is one
    std::uint64_t which = 0; // changes when one begins or ends
    std::chrono::nanoseconds age{-1}; // since it began; negative: that is not known

    bool is_same(handler_sight const& h) const noexcept
    {
        return told == h.told && runs == h.runs && which == h.which;
    }
};

// Decides whether a task of a lease is late, and when the watchdog checks again. No threads, no
// clock.
//
// The producer is late if its lease is the same in two checks that are the grace apart, and its
// thread sleeps elsewhere than where it waits for I/O; or if it computes, after ten times the grace
// and 4 ms at least.
//
// Where Asio tells of each handler, it is that handler that has to be the same: many short ones on
// one lease are not late, one that was seen for the first time may be, and a producer that sleeps
// inside of one does not wait for Asio's condition.
//
// A producer that has not waited yet since it got the right, or beside which another thread may
// wait for I/O, may sleep on a lock in a handler, or because it waits for Asio's condition. Then
// the watchdog asks for a sign of life: if no thread gives one for a millisecond, it is a handler.
//
// Where the producer does nothing the watchdog sleeps without end, and the producer wakes it with
// its next task. The watchdog says that it sleeps, and checks once more before it does.
class lateness
{
public:
    using duration = std::chrono::nanoseconds;

    // A check that finds a task is followed by another one, after this time or the grace.
    static constexpr duration shortest = std::chrono::microseconds(100);

    // What a check sees.
    struct observation
    {
        time_point now;
        lease::snapshot right;
        handler_sight inside{};
        thread_probe::state thread{}; // what the producer does, as the system tells
        bool woken = false;           // the producer has woken the watchdog
        bool observes = false;        // producers tell when they wait for I/O,
        bool knows_file = false;      // and it is known by which file
        bool alone = true;            // no other thread waits inside the io_context
        bool has_sign = false;        // a thread has given a sign of life since one was asked for
        bool lent = false;            // the lease is not the owner's, or another thread is lent
        bool check_soon = false;      // the next check is to come soon for other reasons
    };

    // What the watchdog is to do.
    struct verdict
    {
        bool late = false; // end the lease
        bool asks_for_sign = false;
        bool wakes_owner = false;
        bool needs_sentinel = false; // activate the sentinel of the CPU of the lease
    };

    // `tracks`: Asio tells of each handler.
    explicit lateness(duration grace, bool tracks = false) noexcept
        : grace_(grace)
        , interval_(grace, tracks ? check_interval::longest_tracked : check_interval::longest)
    {
    }

    // At each check that is due.
    verdict update(observation const& s) noexcept;

    // Whether update() needs to know what the thread of that lease does, which costs a system call
    // or more. Not for a busy producer whose lease or handler has changed: its thread runs; unless
    // that handler is older than the last check.
    bool needs_thread_state(lease::snapshot const& s, handler_sight const& h = {}) const noexcept
    {
        return s.leased && s.what != lease::activity::polls
            && (!may_be_late(s, h) || (h.runs && h.age >= grace_)
                || (s.which == seen_.which && s.what == seen_.what && h.is_same(seen_handler_)));
    }

    // Whether a check is due; false if the watchdog was woken only for what a sentinel has told.
    bool is_due(time_point now, bool woken) const noexcept
    {
        return now >= next_ || (asleep_ && woken);
    }

    // Between two checks: whether the task of that lease is late, of which a sentinel has told.
    // `told`: what its thread did for the grace.
    bool is_late(observation const& s, thread_probe::state told) noexcept;

    // Whether the producer is to wake the watchdog, which sleeps, or checks once more before that.
    bool sleeps() const noexcept { return asleep_; }

    // There is nothing to check until a producer wakes the watchdog.
    void reset() noexcept
    {
        asleep_ = true;
        next_ = time_point::min();
    }

    // When the next check is due.
    time_point next() const noexcept { return next_; }

private:
    // A task that computes is late after this multiple of the grace, and this time at least:
    // another thread would take the CPU from it.
    static constexpr int computing = 10;
    static constexpr duration computes_at_least = std::chrono::milliseconds(4);

    // For so long after a late task each check that sees progress activates the sentinel.
    static constexpr duration sentinel_needed_for = std::chrono::seconds(1);

    // How long a sign of life may take. The pause until the watchdog asks again grows while signs
    // come.
    static constexpr duration sign_timeout = std::chrono::milliseconds(1);
    static constexpr duration longest_sign_pause = std::chrono::milliseconds(64);

    // If a lent thread has waited for so long, the owner is woken, so that it takes the right back
    // and the thread leaves; again at growing intervals.
    static constexpr duration shortest_owner_pause = std::chrono::milliseconds(8);
    static constexpr duration longest_owner_pause = std::chrono::seconds(1);

    // Where producers do not tell when they wait, a producer that waits is checked after so long,
    // at multiples of `recheck_step`, so that the watchdog wakes once for several; later, if it has
    // done nothing `recently`.
    static constexpr duration first_recheck = std::chrono::milliseconds(12);
    static constexpr duration recheck_step = std::chrono::milliseconds(4);
    static constexpr duration later_recheck = std::chrono::milliseconds(100);
    static constexpr duration recently = std::chrono::seconds(1);

    enum class answer
    {
        no,
        perhaps,
        yes,
    };

    static bool may_be_late(lease::snapshot const& s, handler_sight const& h) noexcept
    {
        return s.leased
            && (s.what == lease::activity::busy || (h.runs && s.what != lease::activity::polls));
    }
    static bool may_be_late(observation const& s) noexcept
    {
        return may_be_late(s.right, s.inside);
    }

    duration longest_task() const noexcept
    {
        return computing * std::clamp(grace_, duration(1), duration::max() / computing);
    }

    static answer blocks(observation const& s, thread_probe::state thread) noexcept;
    answer judge(observation const& s) noexcept;
    bool gives_no_sign(observation const& s, verdict& v) noexcept;
    bool is_lent(observation const& s, bool changed, verdict& v) noexcept;
    duration next_check(observation const& s, bool changed) noexcept;

    duration const grace_;
    awake_time awake_time_;
    check_interval interval_;
    bool early_ = false; // the next check comes early, because of what the last one has found
    lease::snapshot seen_;
    handler_sight seen_handler_;
    time_point seen_since_{};
    time_point progress_{};
    time_point last_late_{};
    bool waits_for_sign_ = false;
    time_point asked_for_sign_{};
    lease::number asked_which_ = 0;
    duration sign_pause_ = sign_timeout;
    duration owner_pause_ = shortest_owner_pause;
    bool asleep_ = true; // or about to sleep: the producer wakes the watchdog
    time_point asleep_since_{};
    time_point next_ = time_point::min();
    time_point woken_at_{};
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/watch/lateness.ipp>
#endif

#endif
