// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_SENTINEL_IPP
#define ASIO_EWYK_DETAIL_ENGINE_SENTINEL_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/sentinel.hpp>
#include <asio_ewyk/detail/os/checked_option.hpp>
#include <asio_ewyk/detail/os/cpu_binding.hpp>
#include <asio_ewyk/detail/os/signals.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/os/thread_clock.hpp>

#include <algorithm>
#include <utility>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL std::chrono::nanoseconds checked_grace(std::chrono::nanoseconds grace)
{
    check_option(grace >= grace.zero(), "strategy_options::grace", "at least 0", grace);
    return grace;
}

ASIO_EWYK_DECL sentinel::sentinel(lease const& observed, lessor& owner, duration grace)
    : lease_(observed)
    , owner_(owner)
    , grace_(grace)
    , may_ask_(in_use() && may_ask_for_class())
    , interval_(grace)
{
}

ASIO_EWYK_DECL sentinel::~sentinel()
{
    stop(true);
}

// In another process than that of its thread.
ASIO_EWYK_DECL ASIO_EWYK_COLD void sentinel::forget_thread() noexcept
{
    home_.move_here();
    make_anew(thread_);
    make_anew(sleep_);
}

// Under mutex_. Has the watchdog look.
ASIO_EWYK_DECL bool sentinel::start() noexcept
{
    if (!home_.is_here())
        forget_thread();
    try
    {
        if (!registered_)
        {
            watchdog::instance().add(*this, may_ask_);
            registered_ = true;
        }
        if (watchdog::instance().wake(*this))
        {
            start_pause_.grant();
            return true;
        }
    }
    catch (...)
    {
        // There is no memory for it.
    }
    start_pause_.refuse();
    return false;
}

// The producer.
ASIO_EWYK_DECL void sentinel::rouse() noexcept
{
    if (!in_bed_.exchange(false))
        return;
    std::lock_guard const lock(mutex_);
    if (stop_.load())
        return;
    // If the system refuses the thread, a later task tries again.
    if (!start_pause_.over() || !start())
        in_bed_.store(true);
}

// The watchdog: has its thread look as well. If the lock is taken, or the system refuses the
// thread, a later look tries again.
ASIO_EWYK_DECL void sentinel::call_sentinel() noexcept
{
    std::unique_lock const lock(mutex_, std::try_to_lock);
    if (!lock || stop_.load())
        return;
    if (thread_.joinable())
    {
        if (rests_.load() && rests_.exchange(false))
            sleep_.unpark();
        return;
    }
    if (refused_.load() || !thread_pause_.over())
        return;
    try
    {
        block_signals blocked; // the watchdog has called what may have unblocked some
        thread_ = std::thread([this] { work(); });
        thread_pause_.grant();
    }
    catch (...)
    {
        thread_pause_.refuse();
    }
}

ASIO_EWYK_DECL void sentinel::stop(bool for_good) noexcept
{
    std::thread ended;
    bool registered = false;
    if (!home_.is_here())
    {
        make_anew(mutex_);
        forget_thread();
    }
    {
        std::lock_guard const lock(mutex_);
        stop_.store(true);
        sleep_.unpark();
        ended.swap(thread_);
        registered = std::exchange(registered_, false);
    }
    if (ended.joinable())
        ended.join();
    if (registered)
        watchdog::instance().remove(*this);
    if (for_good)
        return;
    drowsy_ = true;
    stop_.store(false);
    rests_.store(false);
    in_bed_.store(in_use());
}

ASIO_EWYK_DECL void sentinel::work() noexcept
{
    name_this_thread("ewyk-sentinel", 0);
    if (!may_ask_ || !become_idle_class())
    {
        refused_.store(true);
        return;
    }
    cpu_ = -1;
    time_point needed = std::chrono::steady_clock::now(); // when there was something to see
    time_point late = needed;                             // when a task was, or may soon be
    while (!stop_.load())
    {
        if (auto const seen = watch(lease_.look()); seen != finding::nothing)
        {
            needed = std::chrono::steady_clock::now();
            if (seen == finding::late)
                late = needed;
            continue;
        }
        time_point const now = std::chrono::steady_clock::now();
        bool const rests = now - needed >= patience;
        if (rests)
            rests_.store(true);
        // Tasks that block often come together, so after a silence it is late for the first of them
        // by no more than an eighth of that.
        auto const nap = std::clamp<duration>((now - late) / 8, shortest_nap, longest_nap);
        bool const woken = sleep_.park_until(rests ? forever : now + nap);
        if (rests)
            rests_.store(false);
        if (woken)
            late = needed = std::chrono::steady_clock::now();
    }
}

ASIO_EWYK_DECL void sentinel::follow(int cpu) noexcept
{
    // Where it may not go it stays; there, that it runs says less about the producer.
    if (std::exchange(cpu_, cpu) != cpu)
        move_to_cpu(cpu);
}

// Whether the thread of that lease, which is in that state, has blocked.
ASIO_EWYK_DECL auto sentinel::blocks(
    lease::sight const& s, thread_probe::state thread) const noexcept -> answer
{
    using enum thread_probe::state;
    if (s.what == lease::activity::polls || thread == runs || thread == unknown)
        return answer::no;
    if (may_be_late(s))
        return thread == locks && !owner_.is_alone() ? answer::perhaps : answer::yes;
    bool const exact = exact_.load(std::memory_order_relaxed);
    // Nothing has told yet for what it waits.
    if (thread == locks || (observes_ && !exact))
        return answer::perhaps;
    // If it were the io_context that has it wait for I/O, it would have said so.
    return thread == polls && !exact ? answer::no : answer::yes;
}

// While the producer runs, or is about to, the sentinel stays ready to run on the same CPU: it gets
// the CPU as soon as the producer does not want it, and yields if it gets it at another time.
ASIO_EWYK_DECL auto sentinel::watch(lease::sight const& s) noexcept -> finding
{
    if (!s.leased || s.what == lease::activity::polls)
        return finding::nothing;
    follow(s.cpu);
    auto const thread = probe_.of(s.producer);
    if (thread == thread_probe::state::runs)
    {
        // If it is not on this CPU, there is nothing to yield to.
        time_point const before = std::chrono::steady_clock::now();
        std::this_thread::yield();
        in_vain_ = std::chrono::steady_clock::now() - before < switching ? in_vain_ + 1 : 0;
        if (in_vain_ < most_in_vain)
            return finding::runs;
        in_vain_ = 0;
        return finding::nothing;
    }
    if (blocks(s, thread) != answer::yes)
        return finding::nothing;
    if (wait_out(s.which))
    {
        // Not all handlers are counted: another one may run by now.
        lease::sight const now = lease_.look();
        if (now.leased && now.which == s.which
            && blocks(now, probe_.of(now.producer)) == answer::yes
            && lease_.look().what == now.what)
            take_over(now, false);
    }
    return finding::late;
}

// Lets the grace pass. False if the lease has ended by then. It yields for a short one, and naps
// through a long one, or it would keep an idle core busy.
ASIO_EWYK_DECL bool sentinel::wait_out(lease::number n) noexcept
{
    time_point now = std::chrono::steady_clock::now();
    time_point const end = after(grace_, now);
    time_point const yields_until = after(shortest_nap, now);
    do
    {
        if (now < yields_until)
            std::this_thread::yield();
        else
            sleep_.park_until(std::min(end, after(std::max(shortest_nap, grace_ / 8), now)));
        if (!lease_.is(n) || stop_.load())
            return false;
        now = std::chrono::steady_clock::now();
    } while (now < end);
    return true;
}

ASIO_EWYK_DECL void sentinel::take_over(lease::sight const& s, bool may_start) noexcept
{
    using enum lessor::outcome;
    auto const outcome = owner_.take_over(s.which, may_start);
    if (outcome == ended)
        return;
    last_late_.store(std::chrono::steady_clock::now(), std::memory_order_relaxed);
    if (outcome == needs_start)
    {
        needs_start_.store(true);
        watchdog::instance().wake(*this, may_start);
    }
}

// The watchdog, of a lease that has been the same for the grace: whether its thread is late.
ASIO_EWYK_DECL bool sentinel::is_late(lease::sight const& s, time_point now) noexcept
{
    // One that waits has said so; whether the system tells is asked once all the same.
    bool const asks = s.what != lease::activity::polls || !std::exchange(asked_system_, true);
    if (!asks || (!observes_ && !may_be_late(s) && is_at_rest(s, now)))
        return false;
    auto const thread = watchdog_probe_.of(s.producer);
    bool const runs = thread == thread_probe::state::runs;
    polls_ = thread == thread_probe::state::polls && !observes_;
    blind_.store(thread == thread_probe::state::unknown, std::memory_order_relaxed);
    auto found = blocks(s, thread);
    if (runs && !may_be_late(s))
        progress_ = now;
    // One that computes may be about to end, and in many short handlers one after the other: to
    // have another thread take turns with it is of no use yet, where the system tells that.
    duration const age = now - seen_since_;
    if (found == answer::no && is_long(age) && now - roused_ >= look_interval::usual
        && !(thread_probe::tells_now && age < longest_nap))
        found = may_be_late(s) ? answer::yes : runs ? answer::perhaps : answer::no;
    if (found == answer::perhaps)
        return gives_no_sign(now);
    // It may have begun to wait for I/O since the lease was seen.
    return found == answer::yes && lease_.look().what == s.what;
}

// The watchdog: whether nobody has given a sign of life that was asked for a moment ago.
ASIO_EWYK_DECL bool sentinel::gives_no_sign(time_point now) noexcept
{
    if (waits_for_sign_)
    {
        if (!owner_.has_sign())
            return now - asked_for_sign_ >= moment;
        waits_for_sign_ = false;
        pause_ = std::min(2 * pause_, longest_pause);
    }
    if (now - asked_for_sign_ >= pause_)
    {
        waits_for_sign_ = true;
        asked_for_sign_ = now;
        asked_which_ = seen_.which;
        owner_.ask_for_sign();
    }
    return false;
}

// The watchdog: whether another thread waits for I/O in place of the owner. That one may be back,
// and wait for a condition until something comes: so it is called.
ASIO_EWYK_DECL bool sentinel::is_lent(
    lease::sight const& s, bool changed, time_point now) noexcept
{
    if (!s.leased || !owner_.is_lent(s))
        loan_ = shortest_loan;
    else if (s.what == lease::activity::polls)
    {
        if (!changed && now - seen_since_ >= loan_)
        {
            loan_ = std::min(2 * loan_, longest_loan);
            owner_.call_owner();
        }
        return true;
    }
    return false;
}

// The watchdog.
ASIO_EWYK_DECL time_point sentinel::look(time_point now) noexcept
{
    if (needs_start_.load() && needs_start_.exchange(false))
        owner_.start_pending();
    bool const roused = drowsy_ && !in_bed_.load();
    if (roused)
    {
        drowsy_ = false;
        roused_ = now;
        late_.store(watchdog::instance().is_humble(), std::memory_order_relaxed);
        bed_delay_.roused_after(now - drowsy_since_);
    }
    lease::sight const s = lease_.look();
    bool late = false;
    bool const changed
        = s.which != seen_.which || s.leased != seen_.leased || s.what != seen_.what;
    if (changed)
    {
        progress_ = now;
        seen_ = s;
        seen_since_ = now;
        polls_ = false;
        used_.reset();
        // The sign itself makes a new lease, or two.
        bool const only_sign = waits_for_sign_ && s.what == lease::activity::unknown
            && s.which - asked_which_ <= 2 && owner_.has_sign();
        pause_ = only_sign ? std::min(2 * pause_, longest_pause) : moment;
        waits_for_sign_ = false;
    }
    else if (s.leased && now - seen_since_ >= grace_)
        late = is_late(s, now);
    if (late)
    {
        if (may_be_late(s) && watchdog_probe_.of(s.producer) == thread_probe::state::runs)
            interval_.computed();
        else
            interval_.shrink();
        take_over(s, true);
    }
    else if (!second_)
        interval_.grow();
    bool const soon = owner_.watched(now, s);
    if (soon)
        loan_ = shortest_loan;
    bool const lent = is_lent(s, changed, now);
    bool const busy = late || may_be_late(s);
    if (busy)
        progress_ = now;
    // A short task that ends a silence does without the sentinel, and so does what is never late.
    if (late || (busy && !roused)
        || (changed && now - roused_ >= look_interval::usual
            && now - last_late_.load(std::memory_order_relaxed) < remembers))
        call_sentinel();
    // Where it was in bed, and goes there at once, the next look is the one before it sleeps.
    if (late || (busy && !roused) || now - progress_ < bed_delay_.get())
    {
        if (std::exchange(drowsy_, false))
            in_bed_.store(false);
        duration const next = roused ? shortest_nap : next_look(s, changed, now);
        return now + (soon ? std::min<duration>(next, look_interval::usual) : next);
    }
    if (!std::exchange(drowsy_, true))
    {
        in_bed_.store(true);
        // Others may have been looked at since `now`.
        drowsy_since_ = now = std::chrono::steady_clock::now();
    }
    else if (now - drowsy_since_ >= shortest_nap)
    {
        interval_.forget();
        if (lent)
            return now + loan_;
        if (!s.held || s.what == lease::activity::polls)
            return forever;
        if (observes_)
            return now + pause_;
        bool const tells = thread_probe::tells_now && !blind_.load(std::memory_order_relaxed);
        bool const has_run = native_has_run_ || s.which > few
            || last_late_.load(std::memory_order_relaxed) != time_point();
        return idle_checks::next(now, progress_, has_run, tells);
    }
    return now + shortest_nap;
}

// The watchdog: how long until its next look. One that finds a task is followed by another one as
// soon as that may be late, and when it has computed for long; so is one that finds a thread asleep
// elsewhere than where it waits for I/O. Under load each look finds some task, so if the second one
// finds another, that is all.
ASIO_EWYK_DECL sentinel::duration sentinel::next_look(
    lease::sight const& s, bool changed, time_point now) noexcept
{
    bool const was_second = std::exchange(second_, false);
    if (waits_for_sign_)
        return moment;
    if (may_be_late(s) && !(changed && was_second))
    {
        duration const due
            = changed ? std::max(grace_, shortest_nap)
                      : std::max(longest_task(), longest_nap) - (now - seen_since_);
        second_ = due > duration::zero() && due < interval_.get();
        if (second_)
            return due;
    }
    // It may have blocked since it got the right.
    else if (changed && !was_second && s.leased && !may_be_late(s)
        && interval_.get() > look_interval::usual
        && blocks(s, watchdog_probe_.of(s.producer)) != answer::no)
    {
        second_ = true;
        return std::min(std::max(grace_, shortest_nap), interval_.get());
    }
    return interval_.get();
}

// The watchdog, of a producer that runs nothing that is marked: whether it waits for I/O, as it did
// when the system told last. It has used no CPU time since then, which is cheaper to ask for. If it
// has, and its lease is the same, a native handler has run.
ASIO_EWYK_DECL bool sentinel::is_at_rest(lease::sight const& s, time_point now) noexcept
{
    // Before the system is asked what it does: a handler that begins in between is seen next time.
    auto const used = cpu_time_of(cpu_clock_of(s.producer));
    bool const same = used == used_;
    if (used && used_ && !same)
    {
        progress_ = now;
        native_has_run_ = true;
    }
    used_ = used;
    return has_fine_cpu_clocks && used && same && polls_;
}

} // namespace asio_ewyk::detail

#endif
