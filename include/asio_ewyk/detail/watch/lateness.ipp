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

// Whether the thread of that lease, which is in that state, has blocked.
ASIO_EWYK_DECL auto lateness::blocks(snapshot const& s, thread_probe::state thread) noexcept
    -> answer
{
    using enum thread_probe::state;
    if (!s.right.leased || s.right.what == lease::activity::polls || thread == runs
        || thread == unknown)
        return answer::no;
    if (may_be_late(s.right))
        return thread == locks && !s.alone ? answer::perhaps : answer::yes;
    // Nothing has told yet for what it waits.
    if (thread == locks || (s.observes && !s.exact))
        return answer::perhaps;
    // If it were the io_context that has it wait for I/O, it would have said so.
    return thread == polls && !s.exact ? answer::no : answer::yes;
}

ASIO_EWYK_DECL bool lateness::is_late(snapshot const& s, thread_probe::state told) noexcept
{
    bool const late = blocks(s, told) == answer::yes;
    if (late)
        last_late_ = s.now;
    return late;
}

// A lease that has been the same for the grace.
ASIO_EWYK_DECL auto lateness::find(snapshot const& s) noexcept -> answer
{
    if (s.right.what == lease::activity::polls)
        return answer::no;
    bool const runs = s.thread == thread_probe::state::runs;
    auto const found = blocks(s, s.thread);
    if (runs && !may_be_late(s.right))
        progress_ = s.now;
    // A task that computes may be about to end, and in many short handlers one after the other: to
    // have another thread take turns with it is of no use yet, where the system tells that.
    duration const age = s.now - seen_since_;
    if (found == answer::no && age >= longest_task() && s.now - roused_ >= look_interval::usual
        && !(thread_probe::tells_now && age < longest_nap))
        return may_be_late(s.right) ? answer::yes : runs ? answer::perhaps : answer::no;
    return found;
}

// Whether nobody has given a sign of life that was asked for a moment ago.
ASIO_EWYK_DECL bool lateness::gives_no_sign(snapshot const& s, verdict& v) noexcept
{
    if (waits_for_sign_)
    {
        if (!s.has_sign)
            return s.now - asked_for_sign_ >= moment;
        waits_for_sign_ = false;
        pause_ = std::min(2 * pause_, longest_pause);
    }
    if (s.now - asked_for_sign_ >= pause_)
    {
        waits_for_sign_ = true;
        asked_for_sign_ = s.now;
        asked_which_ = s.right.which;
        v.asks_for_sign = true;
    }
    return false;
}

// Whether another thread waits for I/O in place of the owner. That one may be back, and wait for a
// condition until something comes: so it is called.
ASIO_EWYK_DECL bool lateness::is_lent(snapshot const& s, bool changed, verdict& v) noexcept
{
    if (!s.right.leased || !s.lent)
        loan_ = shortest_loan;
    else if (s.right.what == lease::activity::polls)
    {
        if (!changed && s.now - seen_since_ >= loan_)
        {
            loan_ = std::min(2 * loan_, longest_loan);
            v.calls_owner = true;
        }
        return true;
    }
    return false;
}

ASIO_EWYK_DECL auto lateness::look(snapshot const& s) noexcept -> verdict
{
    verdict v;
    time_point const now = s.now;
    bool const roused = asleep_ && s.roused;
    if (roused)
    {
        asleep_ = false;
        roused_ = now;
        awake_time_.roused_after(now - asleep_since_);
    }
    auto found = answer::no;
    bool const changed = s.right.which != seen_.which || s.right.leased != seen_.leased
        || s.right.what != seen_.what;
    if (changed)
    {
        progress_ = now;
        seen_ = s.right;
        seen_since_ = now;
        // The sign itself makes a new lease, or two.
        bool const only_sign = waits_for_sign_ && s.right.what == lease::activity::unknown
            && s.right.which - asked_which_ <= 2 && s.has_sign;
        pause_ = only_sign ? std::min(2 * pause_, longest_pause) : moment;
        waits_for_sign_ = false;
    }
    else if (s.right.leased && now - seen_since_ >= grace_)
        found = find(s);
    v.late = found == answer::yes || (found == answer::perhaps && gives_no_sign(s, v));
    if (v.late)
    {
        if (may_be_late(s.right) && s.thread == thread_probe::state::runs)
            interval_.computed();
        else
            interval_.shrink();
        last_late_ = now;
    }
    else if (!second_)
        interval_.grow();
    if (s.soon)
        loan_ = shortest_loan;
    bool const lent = is_lent(s, changed, v);
    bool const busy = v.late || may_be_late(s.right);
    if (busy)
        progress_ = now;
    v.needs_sentinel = v.late || (changed && now - last_late_ < remembers);
    if (busy || now - progress_ < awake_time_.get())
    {
        asleep_ = false;
        duration const next = roused ? shortest : next_look(s, changed);
        next_ = now + (s.soon ? std::min<duration>(next, look_interval::usual) : next);
        return v;
    }
    next_ = now;
    second_ = false;
    if (!std::exchange(asleep_, true))
        asleep_since_ = now;
    else
    {
        interval_.forget();
        if (lent)
            next_ = now + loan_;
        else if (!s.right.held || s.right.what == lease::activity::polls)
            next_ = forever;
        else if (s.observes)
            next_ = now + pause_;
        // The end of its wait wakes nobody, and it may block then.
        else if (now - progress_ < lately)
            next_ = now + soon - now.time_since_epoch() % step;
        else
            next_ = thread_probe::tells_now ? now + seldom : forever;
    }
    return v;
}

// How long until the next look. A look that finds a task is followed by another one as soon as that
// may be late, and when it has computed for long; so is a look that finds a thread asleep elsewhere
// than where it waits for I/O. Under load each look finds some task, so if the second one finds
// another, that is all.
ASIO_EWYK_DECL lateness::duration lateness::next_look(
    snapshot const& s, bool changed) noexcept
{
    bool const was_second = std::exchange(second_, false);
    if (waits_for_sign_)
        return moment;
    if (may_be_late(s.right) && !(changed && was_second))
    {
        duration const due
            = changed ? std::max(grace_, shortest)
                      : std::max(longest_task(), longest_nap) - (s.now - seen_since_);
        second_ = due > duration::zero() && due < interval_.get();
        if (second_)
            return due;
    }
    // The producer may have blocked since it got the right.
    else if (changed && !was_second && s.right.leased && !may_be_late(s.right)
        && interval_.get() > look_interval::usual && blocks(s, s.thread) != answer::no)
    {
        second_ = true;
        return std::min(std::max(grace_, shortest), interval_.get());
    }
    return interval_.get();
}

} // namespace asio_ewyk::detail

#endif
