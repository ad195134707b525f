// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Modelled on elastic_threads.hpp, pool_threads.hpp and context's threads.hpp. Threads of the pool do not
// retire.

#ifndef ASIO_EWYK_TEST_MODEL_POOL_PROGRAM_HPP
#define ASIO_EWYK_TEST_MODEL_POOL_PROGRAM_HPP

#include "machine.hpp"

namespace model {

enum pool_work_line { look, park, look_again, give_back, sleep, run, done, unborn };

inline void pool_work(machine& m)
{
    activation& here = m.here();
    thread_state& me = m.me();
    switch (here.line)
    {
    case unborn:
        if (!(m.w.starting & m.self_bit()))
            return m.wait();
        m.access("starts");
        m.w.starting = static_cast<byte>(m.w.starting & ~m.self_bit());
        return m.go(look);
    case look:
        m.access("looks in the pool's queue");
        if (m.w.pool_queue.empty())
            return m.go(park);
        here.a = m.w.pool_queue.pop();
        m.w.pins |= m.self_bit();
        return m.go(run);
    case park:
        m.access("parks");
        m.w.parked |= m.self_bit();
        return m.go(look_again);
    case look_again:
        m.access("looks in the pool's queue again");
        return m.go(m.w.pool_queue.empty() ? sleep : give_back);
    case give_back:
        m.access("withdraws");
        return m.go(m.withdraw(m.w.parked) ? look : sleep);
    case sleep:
        if (me.job == 0)
            return m.wait();
        m.access("wakes for job", me.job);
        here.a = std::exchange(me.job, byte{0});
        return m.go(here.a == look_around ? look : run);
    case run:
        if (here.a == production_job)
            return m.call(program::arrive, done);
        return m.call(program::run_task, done, here.a);
    case done:
        // on_exception
        me.thrown = 0;
        here.a = 0;
        m.access("is done");
        m.w.pins = static_cast<byte>(m.w.pins & ~m.self_bit());
        return m.go(look);
    }
}

inline void start_thread(machine& m)
{
    byte const lowest = static_cast<byte>(m.w.absent & -m.w.absent);
    m.w.absent = static_cast<byte>(m.w.absent & ~lowest);
    m.w.starting |= lowest;
}

/// 1 if a thread has it now. One that was not there is started for the next time.
inline void pool_try_execute(machine& m)
{
    m.access("tries to claim a parked thread");
    bool const claimed = m.claim(m.w.parked, m.here().a);
    if (!claimed)
        start_thread(m);
    m.ret(claimed);
}

/// 0 if the pool was stopped, 2 if no thread was free or could be started.
inline void pool_execute(machine& m)
{
    enum { claim, queue };
    byte const job = m.here().a;
    switch (m.here().line)
    {
    case claim:
        if (m.config().pool_threads() == 0)
            return m.ret(0);
        m.access("claims a parked thread for job", job);
        if (m.w.pool_queue.empty() && m.claim(m.w.parked, job))
            return m.ret(1);
        return m.go(queue);
    case queue:
        m.access("queues for the pool job", job);
        for (std::size_t i = 0; i != m.w.pool_queue.size; ++i)
            if (m.w.pool_queue.items[i] == job)
                m.fail("a job is in a queue twice");
        m.put(m.w.pool_queue, job);
        if (m.claim(m.w.parked, look_around))
            return m.ret(1);
        if (m.w.absent == 0)
            return m.ret(2);
        start_thread(m);
        return m.ret(1);
    }
}

/// A thread now, or none.
inline void try_start(machine& m)
{
    enum { idle_caller, pool, claim, claimed, vacate, refused };   // b: whether it has lent its own place
    switch (m.here().line)
    {
    case idle_caller:
        m.access("tries to claim an idle caller");
        if (m.claim(m.w.callers, production_job))
            return m.ret(1);
        return m.go(pool);
    case pool:
        if (m.is(flaw::stepper_keeps_right) && m.me().stepping)
            return m.ret(0);
        if (!m.config().places)
            return m.become(program::pool_try_execute, production_job);
        m.here().b = std::exchange(m.me().occupies, byte{0});
        if (!m.here().b && !m.occupy_if_one_is_left())
            return m.go(refused);
        m.w.pending_occupies = 1;
        return m.go(claim);
    case claim:
        return m.call(program::pool_try_execute, claimed, production_job);
    case claimed:
        if (m.result())
            return m.ret(1);
        m.w.pending_occupies = 0;
        m.me().occupies = m.here().b;
        return m.go(m.here().b ? refused : vacate);
    case vacate:
        m.vacate();
        return m.go(refused);
    case refused:
        return m.ret(0);
    }
}

/// Likewise for a right that was taken over: another place is taken if need be, and no thread started.
inline void try_give(machine& m)
{
    enum { idle_caller, pool, claim, vacate, refused };   // b: whether it has lent a place of its own
    switch (m.here().line)
    {
    case idle_caller:
        m.access("tries to give it to an idle caller");
        if (m.claim(m.w.callers, production_job))
            return m.ret(1);
        return m.go(pool);
    case pool:
        if (!m.may_start())
        {
            m.access("looks for those that do not step");
            return m.ret(0);
        }
        if (!m.config().places)
            return m.go(claim);
        m.here().b = std::exchange(m.me().occupies, byte{0});
        m.w.pending_occupies = 1;
        if (!m.here().b)
        {
            m.access("takes a place");
            ++m.w.occupied;
        }
        return m.go(claim);
    case claim:
        m.access("tries to give it to a parked thread");
        if (m.claim(m.w.parked, production_job))
            return m.ret(1);
        m.w.pending_occupies = 0;
        m.me().occupies = m.here().b;
        return m.go(m.config().places && !m.here().b ? vacate : refused);
    case vacate:
        m.vacate();
        return m.go(refused);
    case refused:
        return m.ret(0);
    }
}

/// A thread sooner or later.
inline void start(machine& m)
{
    enum { idle_caller, pool, execute, started, vacate, refused, look_for_idle_caller, wake_idle_caller };
    switch (m.here().line)
    {
    case idle_caller:
        m.access("claims an idle caller");
        if (m.claim(m.w.callers, production_job))
            return m.ret(1);
        return m.go(pool);
    case pool:
        if (m.config().strategy == ewyk::strategy_t::produce_consume)
            return m.ret(0);
        if (m.is(flaw::stepper_awaits_idle_caller) && m.me().stepping)
            return m.ret(0);
        m.w.pending_may_wait = 1;
        if (!m.config().places)
            return m.go(execute);
        m.w.pending_occupies = 1;
        if (!std::exchange(m.me().occupies, byte{0}))
        {
            m.access("takes a place");
            ++m.w.occupied;
        }
        return m.go(execute);
    case execute:
        return m.call(program::pool_execute, started, production_job);
    case started:
        m.here().b = m.result();
        if (!m.here().b)
            return m.go(m.pending_has_come(false) ? vacate : refused);
        if (m.is(flaw::queued_production_is_not_shown))
            return m.ret(1);
        return m.go(look_for_idle_caller);
    case vacate:
        m.vacate();
        return m.go(refused);
    case refused:
        return m.ret(0);
    case look_for_idle_caller:
        m.access("looks what waits for the pool");
        return m.w.pool_queue.empty() ? m.ret(1) : m.go(wake_idle_caller);
    case wake_idle_caller:
        m.access("wakes an idle caller");
        m.claim(m.w.callers, look_around);
        return m.ret(1);
    }
}

/// A task, run elsewhere; what is returned is to be run by the caller.
inline void give(machine& m)
{
    enum { idle_caller, pool, given, all_produce, take, shown, look_for_idle_caller, wake_idle_caller };
    activation& here = m.here();
    switch (here.line)
    {
    case idle_caller:
        m.access("claims an idle caller for task", here.a);
        if (m.claim(m.w.callers, here.a))
            return m.ret(0);
        return m.go(pool);
    case pool:
        return m.call(program::pool_execute, given, here.a);
    case given:
        here.b = m.result();
        if (here.b == 2 && m.config().places
            && m.config().strategy != ewyk::strategy_t::produce_execute_consume)
            return m.go(all_produce);
        here.b = here.b ? byte{0} : here.a;
        return m.go(shown);
    case all_produce:
        here.b = 0;
        m.access("looks whether all threads produce");
        return m.go(m.all_occupied() ? take : shown);
    case take:
        m.access("takes back what waits first");
        here.b = m.w.pool_queue.empty() ? byte{0} : m.w.pool_queue.pop();
        return m.go(shown);
    case shown:
        if (m.is(flaw::given_task_is_not_shown))
            return m.ret(here.b);
        return m.go(look_for_idle_caller);
    case look_for_idle_caller:
        m.access("looks what waits for the pool");
        if (m.w.pool_queue.empty())
            return m.ret(here.b);
        return m.go(wake_idle_caller);
    case wake_idle_caller:
        m.access("wakes an idle caller");
        m.claim(m.w.callers, look_around);
        return m.ret(here.b);
    }
}

/// Has an idle caller look around; 0 if none is parked.
inline void wake_idle_caller(machine& m)
{
    m.access("wakes an idle caller, if one is parked");
    m.ret(m.claim(m.w.callers, look_around));
}

inline void wake_all(machine& m)
{
    m.access("wakes an idle caller, if one is parked");
    if (!m.claim(m.w.callers, look_around))
        m.ret();
}

}

#endif
