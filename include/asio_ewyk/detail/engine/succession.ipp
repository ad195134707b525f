// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_SUCCESSION_IPP
#define ASIO_EWYK_DETAIL_ENGINE_SUCCESSION_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/succession.hpp>
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/detail/os/tick_clock.hpp>
#endif

#include <utility>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL ASIO_EWYK_COLD succession::succession(workforce& threads, strategy_t s,
    std::chrono::nanoseconds grace, bool leases, bool sections, void const* trace_id,
    succession_host& host)
    : task(&succession::act, s, invocation_t::blocking, true)
    , threads_(threads)
    , leases_(leases)
    , sections_(sections)
    , trace_id_(trace_id)
    , host_(host)
    , watch_(*this, leases_ ? grace : std::chrono::nanoseconds::zero())
    , lease_(watch_.right())
{
}

ASIO_EWYK_DECL boost::core::typeinfo const* succession::act(task* base, task_purpose purpose)
{
    auto* const self = static_cast<succession*>(base);
    if (purpose == task_purpose::run)
    {
        trace_point(trace_event::arrive, self->trace_id_);
        self->host_.arrive();
    }
    else if (purpose == task_purpose::destroy)
        self->give_up_request();
    return nullptr;
}

// If the pool has given back the request for a producer, not a task, one thread less is to produce.
// If all threads of the pool still produce, this thread runs a task that waits there: it would wait
// for ever.
ASIO_EWYK_DECL task* succession::task_to_run(task* refused) noexcept
{
    for (bool may_take = true; refused == this; may_take = false)
    {
        give_up_request();
        dispatch(); // unless a thread produces
        refused = may_take && threads_.pool().all_produce() ? threads_.take() : nullptr;
    }
    return refused;
}

ASIO_EWYK_DECL bool succession::acquire(call_frame& frame) noexcept
{
    // Before this thread has the lease: starting the watchdog may block, and a thread that blocks
    // with the lease is late.
    if (watch_.in_use() && threads_.has_callers())
        watch_.wake_if_asleep();
    do
    {
        if (!threads_.may_produce(frame) || !threads_.reserve_place(frame))
            return false;
        if (lease_.acquire(frame.lease_number, frame.is_pooled()))
            return begin(frame);
        threads_.return_place(frame);
        // The producer may have yielded its right meanwhile and found no place in the pool, as this
        // thread had it: then nobody comes, so try again.
    } while (frame.is_pooled() && leaves_one_for_tasks() && lease_.is_free());
    return false;
}

ASIO_EWYK_DECL bool succession::begin(call_frame& frame) noexcept
{
    frame.role = call_frame::role_t::producer;
    frame.leased_by = leases_ ? this : nullptr;
    frame.section_lessor = sections_ ? this : nullptr;
    watch_.publish();
    return true;
}

ASIO_EWYK_DECL bool succession::resume(call_frame& frame) noexcept
{
    frame.role = call_frame::role_t::none;
    frame.leased_by = nullptr;
    if (acquire(frame))
    {
        // The watchdog may have fallen asleep since acquire() woke it, as nobody had the lease.
        if (watch_.in_use() && threads_.has_callers())
            watch_.wake_if_asleep();
        return true;
    }
    counters_.superseded();
    trace_point(trace_event::supersede, trace_id_);
    // The lease may be free: a thread of the pool that may not produce has another one come.
    dispatch();
    return false;
}

// Ends the lease of the thread that has it, which leaves when its handler is over.
ASIO_EWYK_DECL bool succession::take_back(call_frame& frame) noexcept
{
    if (has_lease(frame))
        return false;
    auto what = lease::activity::busy;
    bool const pooled = frame.is_pooled();
    if (pooled)
        threads_.pool().add_producer();
    place mine = threads_.place_if(pooled);
    auto const seized = lease_.seize(frame.lease_number, pooled, what);
    if (!seized)
        return false;
    mine.release();
    if (seized.pooled)
        threads_.pool().remove_producer();
    trace_point(trace_event::take_back, trace_id_);
    watch_.wake_if_asleep();
    begin(frame);
    // A lease is renewed after each handler, so a thread that has marked the present one busy is in
    // a handler, and need not be woken.
    return what != lease::activity::busy;
}

ASIO_EWYK_DECL void succession::stop_producing(call_frame& frame, bool needed) noexcept
{
    frame.leased_by = nullptr;
    frame.section_lessor = nullptr;
    if (!frame.produces())
        return;
    frame.role = call_frame::role_t::none;
    auto const ended = lease_.end(frame.lease_number);
    if (!ended)
        return;
    test_point();
    bool const served = pass_free_lease();
    place mine = threads_.place_if(ended.pooled);
    if (!served && needed)
        ask(std::move(mine));
}

// The thread that has ended a lease: has another one come for it. `mine`: the place in the pool of
// the thread that had it. False if there is none to come.
ASIO_EWYK_DECL bool succession::ask(place mine) noexcept
{
    do
    {
        if (asked_.exchange(true))
        {
            threads_.pool().retry_start(); // the request may wait as the system refused a thread
            return true;
        }
        if (threads_.try_give(*this, mine) || threads_.start(*this, mine))
            return true;
        clear_asked(); // the first thread that is ready finds the lease free
        // This thread may be the pool's, which found no caller inside run(). If a caller has come
        // meanwhile, it may have lost the lease already, while asked_ was set.
    } while (lease_.is_free() && threads_.may_ask_pool());
    return false;
}

ASIO_EWYK_DECL void succession::take_over(lease::number n) noexcept
{
    auto const seen = lease_.read();
    auto const ended = lease_.end(n);
    if (!ended)
        return;
    counters_.taken_over();
    trace_point(trace_event::take_over, trace_id_, static_cast<std::uint32_t>(seen.producer));
    test_point();
    // If the owner is back, or helpers run, the others do not wait for this task alone.
    auto const owner = owner_thread_.load();
    if (!ask(threads_.place_if(ended.pooled)) && threads_.not_stepping() != 0
        && helpers_.load(std::memory_order_relaxed) == 0
        && (owner == thread_id() || owner == seen.producer))
    {
        counters_.not_taken_over();
        threads_.pool().tell_if_it_has_none();
    }
}

ASIO_EWYK_DECL void succession::release(lease::number n) noexcept
{
    auto const ended = lease_.end(n);
    if (!ended)
        return;
    counters_.taken_over();
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
    thread_activity::mine().take_over(tick_clock::now());
#endif
    trace_point(trace_event::release, trace_id_);
    ask(threads_.place_if(ended.pooled));
}

ASIO_EWYK_DECL bool succession::hand_over(call_frame& frame, strategy_t s) noexcept
{
    bool const waits = traits_of(s).waits_for_threads;
    // A request may wait in the pool's queue for long. Production may wait with it only where the
    // strategy waits for threads.
    if (!waits && threads_.request_may_wait())
        return false;
    frame.role = call_frame::role_t::none;
    frame.leased_by = nullptr;
    trace_point(trace_event::hand_over, trace_id_);
    auto const ended = lease_.end(frame.lease_number);
    if (!ended)
        return true;
    place mine = threads_.place_if(ended.pooled);
    test_point();
    if (asked_.exchange(true))
    {
        threads_.pool().retry_start();
        return true;
    }
    bool const given = waits ? threads_.start(*this, mine) : threads_.try_start(*this, mine);
    if (!given)
    {
        if (waits)
        {
            clear_asked(); // the first thread that is ready finds the lease free
            if (lease_.is_free() && threads_.may_ask_pool())
                ask(std::move(mine)); // a caller has come meanwhile: see there
            return true;
        }
        asked_.store(false);
        if (lease_.acquire(frame.lease_number, ended.pooled))
        {
            mine.release();
            trace_point(trace_event::take_back, trace_id_);
            frame.role = call_frame::role_t::producer;
            frame.leased_by = this;
            return false;
        }
    }
    return true;
}

// If this thread is the pool's, its place goes with the request. For a caller there may be no
// place, as the pool's last thread is left for tasks: then the lease stays free. A thread that
// gives its place back looks at the lease afterwards; so either this thread finds the place, or
// that one finds the lease free. That one does not ask while asked_ is set: so this thread clears
// it, and looks for the place once more.
ASIO_EWYK_DECL void succession::yield_right(call_frame& frame) noexcept
{
    if (!leases_ || !frame.produces())
        return;
    if (!leaves_one_for_tasks())
    {
        hand_over(frame, strategy());
        return;
    }
    frame.role = call_frame::role_t::none;
    frame.leased_by = nullptr;
    trace_point(trace_event::hand_over, trace_id_);
    auto const ended = lease_.end(frame.lease_number);
    if (!ended)
        return;
    place mine = threads_.place_if(ended.pooled);
    do
    {
        test_point();
        if (asked_.exchange(true) || threads_.start(*this, mine, true))
            break;
        clear_asked(); // and wakes a caller that has parked meanwhile, relying on the request
    } while (threads_.has_one_left());
}

// The watchdog runs nothing inside the io_context itself: that may be destroyed as soon as run()
// has returned.
ASIO_EWYK_DECL ASIO_EWYK_COLD void succession::ask_for_sign() noexcept
{
    if (!threads_.has_callers()) // so no thread waits inside an io_context
        return;
    wants_sign_.store(true, std::memory_order_relaxed);
    host_.wake_up();
}

// Sections

ASIO_EWYK_DECL void succession::enter_section(call_frame& frame) noexcept
{
    // First: only while a section is counted may the thread that is asked to come be the pool's.
    threads_.section_entered();
    stop_producing(frame, true);
    frame.section_lessor = this;
}

ASIO_EWYK_DECL void succession::adopt(call_frame& frame) noexcept
{
    threads_.take_place(frame);
    frame.lease_number = lease_.adopt(frame.is_pooled());
    frame.role = call_frame::role_t::producer;
}

// The thread waits, in the order of coming, until the lease is passed to it.
ASIO_EWYK_DECL void succession::leave_section(call_frame& frame) noexcept
{
    idle_caller me;
    returning_.park_last(me);
    // The producer may wait inside the io_context: wake it, so that it passes the lease.
    if (!pass_free_lease())
        host_.wake_up();
    me.sleep.park_until(forever);
    adopt(frame);
    threads_.section_left();
}

// If the lease is free, passes it to the first thread that waits at the end of a section. False if
// no thread got it.
ASIO_EWYK_DECL bool succession::pass_free_lease() noexcept
{
    lease::number n = 0;
    while (returning_.any() && lease_.acquire(n, false))
    {
        if (returning_.wake_first(nullptr))
            return true;
        // Another thread has passed a lease to it meanwhile. A thread that came for the lease in
        // this moment has found it taken, so ask again.
        lease_.end(n);
        ask({});
    }
    return false;
}

ASIO_EWYK_DECL bool succession::pass_lease(call_frame& frame, bool waits) noexcept
{
    idle_caller me;
    if (waits)
        returning_.park_last(me);
    frame.role = call_frame::role_t::none;
    if (frame.is_pooled())
        threads_.pool().remove_producer();
    bool const passed = returning_.wake_first(nullptr);
    // The thread that has the lease now is to pass it on, too.
    if (returning_.any())
        host_.wake_up();
    if (waits)
        me.sleep.park_until(forever);
    if (waits || !passed)
        adopt(frame);
    return passed;
}

} // namespace asio_ewyk::detail

#endif
