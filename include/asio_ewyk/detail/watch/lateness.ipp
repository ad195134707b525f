// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_LATENESS_IPP
#define ASIO_EWYK_DETAIL_WATCH_LATENESS_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/watch/lateness.hpp>

#include <algorithm>
#include <utility>

namespace asio_ewyk::detail {

// Whether the thread of that lease, which the system says is in that state, has blocked.
ASIO_EWYK_DECL ASIO_EWYK_COLD auto lateness::blocks(
    observation const& s, thread_probe::state thread) noexcept
    -> answer
{
    using enum thread_probe::state;
    if (!s.right.leased || s.right.what == lease::activity::polls || thread == runs
        || thread == unknown)
        return answer::no;
    // A native handler leaves its mark behind, and the thread may wait for Asio's condition then.
    if (may_be_late(s))
        return thread == locks && (s.inside.told ? !s.inside.runs : !s.alone) ? answer::perhaps
                                                                              : answer::yes;
    // Nothing has told yet for what the thread waits.
    if (thread == locks || (s.observes && !s.knows_file))
        return answer::perhaps;
    // If the thread waited for the io_context's I/O, it would have said so, where the file is
    // known.
    return thread == polls && !s.knows_file ? answer::no : answer::yes;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD bool lateness::is_late(
    observation const& s, thread_probe::state told) noexcept
{
    // The sentinel has told of the lease, and perhaps of a handler that has ended since.
    bool const is_over = s.inside.told
        && (!s.inside.runs || (s.inside.age >= duration::zero() && s.inside.age < grace_));
    bool const late = !is_over && blocks(s, told) == answer::yes;
    if (late)
        last_late_ = s.now;
    return late;
}

// Judges a lease that has been the same for the grace.
ASIO_EWYK_DECL ASIO_EWYK_COLD auto lateness::judge(observation const& s) noexcept -> answer
{
    if (s.right.what == lease::activity::polls)
        return answer::no;
    bool const runs = s.thread == thread_probe::state::runs;
    auto const found = blocks(s, s.thread);
    if (runs && !may_be_late(s))
        progress_ = s.now;
    // A task that computes may be about to end, or be many short handlers one after the other. To
    // have another thread take turns with it on the CPU is of no use yet, if the system tells that
    // it computes.
    duration const age = s.now - seen_since_;
    if (found == answer::no && age >= longest_task() && s.now - woken_at_ >= check_interval::usual
        && !(thread_probe::tells_now && age < computes_at_least))
        return may_be_late(s) ? answer::yes : runs ? answer::perhaps : answer::no;
    return found;
}

// Whether no thread has given the sign of life in time; asks for one, if none was asked for.
ASIO_EWYK_DECL ASIO_EWYK_COLD bool lateness::gives_no_sign(
    observation const& s, verdict& v) noexcept
{
    if (waits_for_sign_)
    {
        if (!s.has_sign)
            return s.now - asked_for_sign_ >= sign_timeout;
        waits_for_sign_ = false;
        sign_pause_ = std::min(2 * sign_pause_, longest_sign_pause);
    }
    if (s.now - asked_for_sign_ >= sign_pause_)
    {
        waits_for_sign_ = true;
        asked_for_sign_ = s.now;
        asked_which_ = s.right.which;
        v.asks_for_sign = true;
    }
    return false;
}

// Whether a lent thread waits for I/O in place of the owner. The owner may be back, and wait for
// Asio's condition until something comes: so it is woken after a while.
ASIO_EWYK_DECL bool lateness::is_lent(observation const& s, bool changed, verdict& v) noexcept
{
    if (!s.right.leased || !s.lent)
        owner_pause_ = shortest_owner_pause;
    else if (s.right.what == lease::activity::polls)
    {
        if (!changed && s.now - seen_since_ >= owner_pause_)
        {
            owner_pause_ = std::min(2 * owner_pause_, longest_owner_pause);
            v.wakes_owner = true;
        }
        return true;
    }
    return false;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD auto lateness::update(observation const& s) noexcept -> verdict
{
    verdict v;
    time_point const now = s.now;
    bool const woken = asleep_ && s.woken;
    if (woken)
    {
        asleep_ = false;
        woken_at_ = now;
        awake_time_.woken_after(now - asleep_since_);
    }
    auto found = answer::no;
    bool const changed = s.right.which != seen_.which || s.right.leased != seen_.leased
        || s.right.what != seen_.what || !s.inside.is_same(seen_handler_);
    // For a moment after a lease has begun its thread is not known, and this may be the handler of
    // the one before.
    bool const is_dated = s.inside.runs && s.inside.age >= duration::zero()
        && (s.right.what == lease::activity::busy || s.right.which == seen_.which);
    bool const is_old = is_dated && s.inside.age >= grace_;
    if (changed)
    {
        progress_ = now;
        seen_ = s.right;
        seen_handler_ = s.inside;
        seen_since_ = is_dated ? now - s.inside.age : now;
        // The thread that gives the sign renews the lease once or twice, which is no progress.
        bool const only_sign = waits_for_sign_ && s.right.what == lease::activity::unknown
            && s.right.which - asked_which_ <= 2 && s.has_sign;
        sign_pause_ = only_sign ? std::min(2 * sign_pause_, longest_sign_pause) : sign_timeout;
        waits_for_sign_ = false;
    }
    if (s.right.leased && (changed ? is_old : now - seen_since_ >= grace_))
        found = judge(s);
    v.late = found == answer::yes || (found == answer::perhaps && gives_no_sign(s, v));
    if (v.late)
    {
        if (may_be_late(s) && s.thread == thread_probe::state::runs)
            interval_.computed();
        else
            interval_.shrink();
        last_late_ = now;
    }
    else if (!early_)
        interval_.grow();
    if (s.check_soon)
        owner_pause_ = shortest_owner_pause;
    bool const lent = is_lent(s, changed, v);
    // A handler that runs may be late when its thread keeps the right no more.
    bool const busy = v.late || may_be_late(s)
        || (s.right.held && s.right.what != lease::activity::polls && s.inside.runs);
    if (busy)
        progress_ = now;
    v.needs_sentinel = v.late || (changed && now - last_late_ < sentinel_needed_for);
    if (busy || now - progress_ < awake_time_.get())
    {
        asleep_ = false;
        duration const next = woken ? shortest : next_check(s, changed);
        next_ = now + (s.check_soon ? std::min<duration>(next, check_interval::usual) : next);
        return v;
    }
    next_ = now;
    early_ = false;
    if (!std::exchange(asleep_, true))
        asleep_since_ = now;
    else
    {
        interval_.reset();
        if (lent)
            next_ = now + owner_pause_;
        else if (!s.right.held || s.right.what == lease::activity::polls)
            next_ = forever;
        else if (s.observes)
            next_ = now + sign_pause_;
        // The handler that ends the wait wakes the watchdog. A thread that does not wait may run
        // what Asio does not tell of, or is about to run a handler.
        else if (s.inside.told && s.thread != thread_probe::state::runs
            && s.thread != thread_probe::state::blocks)
            next_ = forever;
        // The end of the producer's wait wakes nobody, and it may block then.
        else if (now - progress_ < recently)
            next_ = now + first_recheck - now.time_since_epoch() % recheck_step;
        else
            next_ = thread_probe::tells_now ? now + later_recheck : forever;
    }
    return v;
}

// How long until the next check. A check that finds a task is followed by another one as soon as
// the task may be late, and when it has computed for long; so is a check that finds the producer
// asleep elsewhere than where it waits for I/O. Under load each check finds some task, so an early
// check that finds another task is followed by no early one.
ASIO_EWYK_DECL lateness::duration lateness::next_check(observation const& s, bool changed) noexcept
{
    bool const was_early = std::exchange(early_, false);
    if (waits_for_sign_)
        return sign_timeout;
    if (may_be_late(s) && !(changed && was_early))
    {
        duration const due
            = changed ? std::max(grace_, shortest)
                      : std::max(longest_task(), computes_at_least) - (s.now - seen_since_);
        early_ = due > duration::zero() && due < interval_.get();
        if (early_)
            return due;
    }
    // The producer may have blocked since it got the right, with nothing marked.
    else if (changed && !was_early && s.right.leased && !may_be_late(s)
        && interval_.get() > check_interval::usual && blocks(s, s.thread) != answer::no)
    {
        early_ = true;
        return std::min(std::max(grace_, shortest), interval_.get());
    }
    return interval_.get();
}

} // namespace asio_ewyk::detail

#endif
