// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Modelled on what the sentinel and the watchdog do about a late task: lease.hpp, sentinel.ipp, and
// take_over() and pass_on() of strategy_engine.

#ifndef ASIO_EWYK_TEST_MODEL_WATCH_PROGRAM_HPP
#define ASIO_EWYK_TEST_MODEL_WATCH_PROGRAM_HPP

#include "machine.hpp"

namespace model {

/// Looks at a lease, yields for the grace, looks again, and takes over: that may come at any time, so each
/// task may be late. Handlers that nothing marks are late only while they run. Of two that watch one
/// takes over, and the other one starts threads.
inline void watch(machine& m)
{
    enum { look, early, room, see, take, pass, passed, start, started };
    bool const first = m.self() == m.config().callers.size() + m.config().pool_threads();
    bool const late = m.w.leased && m.w.lease_what != keeps && (m.w.lease_what != waits || m.w.blocked != 0);
    switch (m.here().line)
    {
    case look:
        if (m.w.needs_start && (!first || !m.config().two_watch))
        {
            m.access("looks whether a thread has to be started");
            m.w.needs_start = 0;
            return m.go(start);
        }
        if (!late || !first)
            return m.wait();
        return m.go(m.is(flaw::hands_over_before_end) ? early : room);
    case early:
        m.apply(production_event::hand_over);
        return m.go(see);
    case room:
        if (m.w.lease_what != waits || m.config().strategy == ewyk::strategy_t::execute_produce_consume)
            return m.go(see);
        m.access("looks whether a thread could come");
        return m.go(m.may_be_taken_over(m.w.lease_occupies) || m.is(flaw::last_thread_is_taken) ? see : look);
    case see:
        if (!late)
            return m.go(look);
        m.access("sees the lease");
        m.me().sees_lease = 1;
        return m.go(take);
    case take:
        if (m.w.lease_what == keeps && !m.is(flaw::keeps_by_mark))
        {
            m.access("sees that the task keeps the right");
            m.me().sees_lease = 0;
            return m.go(look);
        }
        return m.go(m.end_lease(m.me().sees_lease) ? pass : look);
    case pass:
        return m.call(program::pass_on, passed, 0);
    case passed:
        if (m.result() && !m.is(flaw::start_is_forgotten))
        {
            m.access("asks for a thread to be started");
            m.w.needs_start = 1;
        }
        return m.go(look);
    case start:
        return m.call(program::start_pending, started);
    case started:
        return m.go(look);
    }
}

/// This thread has the right to produce, and does not produce. a: whether it may start threads. 1 if one
/// has to be started.
inline void pass_on(machine& m)
{
    enum { place, apply, give, given, vacate, start };   // b: whether a thread has to be started
    activation& here = m.here();
    switch (here.line)
    {
    case place:
        m.needs_right();
        m.me().occupies = std::exchange(m.w.lease_occupies, byte{0});
        if (m.is(flaw::place_is_kept))
            m.me().occupies = 0;
        return m.go(apply);
    case apply:
        if (m.apply(production_event::hand_over) == production_verdict::start)
            return m.go(give);
        return m.go(vacate);
    case give:
        return m.call(program::try_give, given);
    case given:
        here.b = !m.result();
        return m.go(vacate);
    case vacate:
        if (std::exchange(m.me().occupies, byte{0}))
        {
            m.vacate();
            return;
        }
        return m.go(start);
    case start:
        if (here.b && here.a)
            return m.become(program::start_pending);
        return m.ret(here.b);
    }
}

inline void start_pending(machine& m)
{
    enum { start, started, give_up, wake_idle_caller };
    switch (m.here().line)
    {
    case start:
        return m.call(program::start, started);
    case started:
        if (m.result())
            return m.ret();
        return m.go(give_up);
    case give_up:
        m.apply(production_event::give_up);
        return m.go(wake_idle_caller);
    case wake_idle_caller:
        return m.become(program::wake_idle_caller);
    }
}

/// The thread of a lease, from within the task, which is going to be late.
inline void release(machine& m)
{
    enum { end, pass };
    thread_state& me = m.me();
    switch (m.here().line)
    {
    case end:
        if (!me.leased)
            return m.ret();
        me.leased = 0;
        me.producing = 0;
        return m.end_lease(me.its_lease) ? m.go(pass) : m.ret();
    case pass:
        if (m.is(flaw::released_in_silence))
        {
            m.w.holder = 0;
            return m.ret();
        }
        return m.become(program::pass_on, 1);
    }
}

}

#endif
