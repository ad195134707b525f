// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_SUCCESSION_IPP
#define ASIO_EWYK_DETAIL_ENGINE_SUCCESSION_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/succession.hpp>

#include <utility>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL succession::succession(workforce& threads, strategy_t s,
    std::chrono::nanoseconds grace, bool leases, bool sections, void const* owner, task& request)
    : threads_(threads)
    , strategy_(s)
    , leases_(leases)
    , sections_(sections)
    , owner_(owner)
    , request_(request)
    , watch_(*this, leases_ ? grace : std::chrono::nanoseconds::zero())
    , lease_(watch_.right())
{
}

ASIO_EWYK_DECL bool succession::acquire(call_frame& frame) noexcept
{
    // Before it has the lease: it may wait for the first thread that it starts, and would be late.
    if (watch_.in_use() && threads_.has_callers())
        watch_.alert();
    do
    {
        if (!threads_.may_produce(frame) || !threads_.may_resume(frame))
            return false;
        if (lease_.acquire(frame.lease_number, frame.is_pooled()))
            return begin(frame);
        threads_.produces_no_more(frame);
        // The one that had it may have made way meanwhile, and found no place.
    } while (frame.is_pooled() && leaves_one_for_tasks() && lease_.is_free());
    return false;
}

ASIO_EWYK_DECL bool succession::begin(call_frame& frame) noexcept
{
    frame.duty = call_frame::duty_t::producer;
    frame.leased_by = leases_ ? this : nullptr;
    frame.home = sections_ ? this : nullptr;
    watch_.publish();
    return true;
}

ASIO_EWYK_DECL bool succession::resume(call_frame& frame) noexcept
{
    frame.duty = call_frame::duty_t::none;
    frame.leased_by = nullptr;
    if (acquire(frame))
    {
        // The watchdog may have fallen asleep since acquire() woke it, as nobody had the lease.
        if (watch_.in_use() && threads_.has_callers())
            watch_.alert();
        return true;
    }
    counters_.superseded();
    trace_point(trace_event::supersede, owner_);
    // A thread of the pool that may not produce.
    dispatch();
    return false;
}

// The lease of the thread that has it ends: that one leaves when its handler is over.
ASIO_EWYK_DECL bool succession::take_back(call_frame& frame) noexcept
{
    if (has_lease(frame))
        return false;
    auto what = lease::activity::busy;
    bool const pooled = frame.is_pooled();
    if (pooled)
        threads_.pool().occupy();
    place mine(threads_, pooled);
    auto const seized = lease_.seize(frame.lease_number, pooled, what);
    if (!seized)
        return false;
    mine.move_on();
    if (seized.pooled)
        threads_.pool().vacate();
    trace_point(trace_event::take_back, owner_);
    watch_.alert();
    begin(frame);
    // After each handler a lease has a new number. So it is in one if it has said so.
    return what != lease::activity::busy;
}

ASIO_EWYK_DECL void succession::leave(call_frame& frame, bool needed) noexcept
{
    frame.leased_by = nullptr;
    frame.home = nullptr;
    if (!frame.produces())
        return;
    frame.duty = call_frame::duty_t::none;
    auto const ended = lease_.end(frame.lease_number);
    if (!ended)
        return;
    test_point();
    bool const served = serve_returning();
    place mine = place_of(ended);
    if (!served && needed)
        ask(std::move(mine));
}

// Has a thread come for a lease that has ended. `mine`: the place of the thread that had it.
ASIO_EWYK_DECL void succession::ask(place mine) noexcept
{
    if (asked_.exchange(true))
        threads_.pool().retry_start(); // the request may wait for a thread that was refused
    else if (!threads_.try_give(request_, mine) && !threads_.start(request_, mine))
        withdraw(); // the first thread that is ready finds the lease free
}

ASIO_EWYK_DECL void succession::take_over(lease::number n) noexcept
{
    auto const seen = lease_.look();
    auto const ended = lease_.end(n);
    if (!ended)
        return;
    counters_.taken_over();
    trace_point(trace_event::take_over, owner_, static_cast<std::uint32_t>(seen.producer));
    test_point();
    ask(place_of(ended));
}

ASIO_EWYK_DECL void succession::release(lease::number n) noexcept
{
    auto const ended = lease_.end(n);
    if (!ended)
        return;
    counters_.taken_over();
    trace_point(trace_event::release, owner_);
    ask(place_of(ended));
}

ASIO_EWYK_DECL bool succession::hand_over(call_frame& frame, strategy_t s) noexcept
{
    bool const waits = traits_of(s).waits_for_threads;
    // A request may wait in the pool's queue for long; only with this strategy may production wait
    // with it.
    if (!waits && threads_.request_may_wait())
        return false;
    frame.duty = call_frame::duty_t::none;
    frame.leased_by = nullptr;
    trace_point(trace_event::hand_over, owner_);
    auto const ended = lease_.end(frame.lease_number);
    if (!ended)
        return true;
    place mine = place_of(ended);
    test_point();
    if (asked_.exchange(true))
    {
        threads_.pool().retry_start();
        return true;
    }
    bool const given
        = waits ? threads_.start(request_, mine) : threads_.try_start(request_, mine);
    if (!given)
    {
        asked_.store(false);
        if (waits)
            // The first thread that is ready finds the lease free.
            threads_.wake_idle_caller();
        else if (lease_.acquire(frame.lease_number, ended.pooled))
        {
            mine.move_on();
            trace_point(trace_event::take_back, owner_);
            frame.duty = call_frame::duty_t::producer;
            frame.leased_by = this;
            return false;
        }
    }
    return true;
}

// The place of one of the pool goes with the request. For another one there may be none, as one
// thread is left for tasks: then the lease stays free. A thread that gives its place back looks at
// the lease afterwards. So either this one finds the place, or that one finds the lease free. That
// one does not ask while asked_ is set; so this one looks for the place once more then.
ASIO_EWYK_DECL void succession::make_way(call_frame& frame) noexcept
{
    if (!leases_ || !frame.produces())
        return;
    if (!leaves_one_for_tasks())
    {
        hand_over(frame, strategy_);
        return;
    }
    frame.duty = call_frame::duty_t::none;
    frame.leased_by = nullptr;
    trace_point(trace_event::hand_over, owner_);
    auto const ended = lease_.end(frame.lease_number);
    if (!ended)
        return;
    place mine = place_of(ended);
    do
    {
        test_point();
        if (asked_.exchange(true) || threads_.start(request_, mine, true))
            break;
        withdraw(); // a caller that has parked meanwhile may rely on the request
    } while (threads_.has_one_left());
}

// The watchdog does nothing inside the io_context itself: that may be destroyed at once when run()
// has returned.
ASIO_EWYK_DECL void succession::ask_for_sign() noexcept
{
    if (!wake_)
        return;
    wants_sign_.store(true, std::memory_order_relaxed);
    wake();
}

// Sections

ASIO_EWYK_DECL void succession::go_away(call_frame& frame) noexcept
{
    // Before another thread is asked for, which may be one of the pool meanwhile.
    threads_.went_away();
    leave(frame, true);
    frame.home = this;
}

ASIO_EWYK_DECL void succession::come_back(call_frame& frame) noexcept
{
    await_lease(frame);
    threads_.came_back();
}

ASIO_EWYK_DECL void succession::adopt(call_frame& frame) noexcept
{
    threads_.produces_again(frame);
    frame.lease_number = lease_.adopt(frame.is_pooled());
    frame.duty = call_frame::duty_t::producer;
}

// This thread waits, in the order of coming, until the lease is passed on to it.
ASIO_EWYK_DECL void succession::await_lease(call_frame& frame) noexcept
{
    returning_threads::entry me;
    returning_.add(me);
    // The producer may wait inside the io_context.
    if (!serve_returning())
        wake();
    me.sleep.park_until(forever);
    adopt(frame);
}

// If the lease is free, the thread that waits for it first gets it. False if it did not.
ASIO_EWYK_DECL bool succession::serve_returning() noexcept
{
    lease::number n = 0;
    while (returning_.any() && lease_.acquire(n, false))
    {
        if (returning_.pass_right())
            return true;
        // Another thread has served it meanwhile. What was asked for in this moment came in vain.
        lease_.end(n);
        ask({threads_, false});
    }
    return false;
}

ASIO_EWYK_DECL bool succession::serve_section(call_frame& frame, bool waits) noexcept
{
    returning_threads::entry me;
    if (waits)
        returning_.add(me);
    frame.duty = call_frame::duty_t::none;
    if (frame.is_pooled())
        threads_.pool().vacate();
    bool const passed = returning_.pass_right();
    // The thread that has it now is to come by, too.
    if (returning_.any())
        wake();
    if (waits)
        me.sleep.park_until(forever);
    if (waits || !passed)
        adopt(frame);
    return passed;
}

} // namespace asio_ewyk::detail

#endif
