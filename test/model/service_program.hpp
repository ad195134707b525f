// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Modelled on impl/strategy_service.ipp, with idle_callers.hpp.

#ifndef ASIO_EWYK_TEST_MODEL_SERVICE_PROGRAM_HPP
#define ASIO_EWYK_TEST_MODEL_SERVICE_PROGRAM_HPP

#include "machine.hpp"
#include "reactor_program.hpp"

// Steps of different programs may have the same names.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

namespace model {

/// One call of run() or a sibling, or of a wake-up that a foreign thread runs.
inline void take_part(machine& m)
{
    enum { come, count, look_over, enter, entered, refused,
        look_over_again, take, run, ran, rest, rested, leave };
    activation& here = m.here();
    thread_state& me = m.me();
    auto const out_of_time = [&] {
        if (me.has_deadline && !me.expired)
            if (m.luck.maybe())
                me.expired = 1;
        return call_is_done(me);
    };

    switch (here.line)
    {
    case come:
        m.access("enters run()");
        ++me.inside_run;
        ++m.w.runners;
        if (me.foreign)
            me.counted = 0;
        return m.go(count);
    case count:
        if (me.stepping)
            return m.go(look_over);
        m.access("counts as one that does not step");
        ++m.w.not_stepping;
        return m.go(look_over);
    case look_over:
        m.access("looks whether it is over");
        return m.go(out_of_time() || m.w.ioc_stopped ? leave : enter);
    case enter:
        if (!me.no_wait)
            return m.call(program::enter, entered);
        if (m.apply(production_event::enter) != production_verdict::produce)
            return m.go(refused);
        return m.call(program::loop, leave);
    case entered:
        return m.go(me.thrown || me.foreign ? leave : look_over_again);
    // A thread of the pool is on its way out, perhaps; it is not waited for without end.
    case refused:
        m.access("looks whether it is alone");
        return m.go(m.w.runners == 1 && m.luck.maybe() ? look_over : leave);
    case look_over_again:
        m.access("looks again whether it is over");
        return m.go(out_of_time() || m.w.ioc_stopped ? leave : take);
    case take:
        m.access("looks in the pool's queue");
        if (m.w.pool_queue.empty())
            return m.go(rest);
        here.a = m.w.pool_queue.pop();
        return m.go(run);
    case run:
        if (here.a == production_job)
            return m.call(program::arrive, ran);
        me.counted = me.limited;
        return m.call(program::run_task, ran, here.a);
    case ran:
        here.a = 0;
        return m.go(me.thrown ? leave : look_over);
    case rest:
        return m.call(program::rest, rested);
    case rested:
        here.a = m.result();
        return m.go(here.a && here.a != look_around ? run : look_over);
    case leave:
        return m.become(program::leave_run);
    }
}

/// Parks; the job that the thread was woken with, or 0.
inline void rest(machine& m)
{
    enum { park, idle, queue, stopped, busy, sleep, claimed, deadline };
    thread_state& me = m.me();
    switch (m.here().line)
    {
    case park:
        m.access("parks as an idle caller");
        m.w.callers |= m.self_bit();
        return m.go(m.is(flaw::idle_caller_parks_without_look) ? sleep : idle);
    case idle:
        m.access("looks whether any thread produces");
        return m.go(m.sees_idle() ? busy : queue);
    case queue:
        m.access("looks whether something waits for the pool");
        return m.go(m.w.pool_queue.empty() ? stopped : busy);
    case stopped:
        m.access("looks whether it was stopped");
        return m.go(m.w.ioc_stopped ? busy : sleep);
    case busy:
        m.access("withdraws as an idle caller");
        if (m.withdraw(m.w.callers))
            return m.ret(0);
        return m.go(claimed);
    case sleep:
        if (me.has_deadline && !me.expired && m.luck.maybe())
        {
            me.expired = 1;
            return m.go(deadline);
        }
        if (me.job == 0)
            return m.wait();
        m.access("wakes as an idle caller for job", me.job);
        return m.ret(std::exchange(me.job, byte{0}));
    case claimed:
        if (me.job == 0)
            return m.wait();
        m.access("wakes as an idle caller for job", me.job);
        return m.ret(std::exchange(me.job, byte{0}));
    case deadline:
        m.access("withdraws at its deadline");
        if (m.withdraw(m.w.callers))
            return m.ret(0);
        return m.go(claimed);
    }
}

/// The end of a call of run() or a sibling, by whatever way.
inline void leave_run(machine& m)
{
    enum { uncount, go, look, wake, clear, idle, ask, out };
    activation& here = m.here();   // a: whether it is the last one that does not step; b: the last one, it was stopped
    thread_state& me = m.me();
    switch (here.line)
    {
    case uncount:
        if (me.stepping)
            return m.go(go);
        m.access("does not count any more as one that does not step");
        here.a = --m.w.not_stepping == 0;
        return m.go(go);
    case go:
        m.access("leaves run()");
        here.b = --m.w.runners == 0;
        return m.go(look);
    case look:
        m.access("looks whether the end has come");
        if (!m.w.ioc_stopped)
            return m.go(clear);
        here.b = static_cast<byte>(here.b | 2);
        return m.go(wake);
    case wake:
        return m.call(program::wake_all, clear);
    case clear:
        return here.a ? m.call(program::clear_pool, idle) : m.go(idle);
    case idle:
        if (here.b || m.is(flaw::leaver_asks_none))
            return m.go(out);
        m.access("looks whether a thread produces");
        return m.go(m.sees_idle() ? ask : out);
    case ask:
        return m.call(program::dispatch, out);
    case out:
        m.access("is out of run()");
        --me.inside_run;
        if (here.a && !m.any_in_run() && !m.steppers_give_away() && m.pool_runs_tasks())
            m.fail("a handler runs after the last run() has returned");
        return m.ret();
    }
}

/// Waits until no thread of the pool has anything to run, or another caller has come.
inline void clear_pool(machine& m)
{
    enum { first_recall, wake, await, last_recall };
    switch (m.here().line)
    {
    case first_recall:
        return m.call(program::recall, m.is(flaw::last_runner_just_leaves) ? last_recall : wake);
    case wake:
        return m.call(program::wake_up, await);
    case await:
        if (m.w.not_stepping != 0 && !m.is(flaw::await_forgets_newcomers))
        {
            m.access("sees that another caller has come");
            return m.go(last_recall);
        }
        if (!m.w.pool_queue.empty() && !m.is(flaw::last_runner_forgets_queue))
        {
            m.access("sees that something waits for the pool");
            return m.go(first_recall);
        }
        if (m.w.pins != 0)
        {
            // It wakes up after a while, which makes no difference while a wake-up is under way.
            if (m.w.wake_queued)
                return m.wait();
            m.access("has waited for a while");
            return m.go(wake);
        }
        m.access("sees that no thread of the pool has anything to run");
        return m.go(last_recall);
    case last_recall:
        return m.become(program::recall);
    }
}

/// What waits in the pool is posted again: handlers run only while a thread is inside run().
inline void recall(machine& m)
{
    enum { take, posted, vacate, wake, woken, abandon, tell, asked };   // b: whether a thread was asked for
    switch (m.here().line)
    {
    case take:
    {
        m.access("recalls what waits for the pool");
        if (m.w.pool_queue.empty())
            return m.here().b ? m.go(abandon) : m.ret();
        byte const job = m.w.pool_queue.pop();
        if (job == production_job)
            return m.go(m.pending_has_come(false) ? vacate : wake);
        return m.call(program::post, posted, job);
    }
    case posted:
        return m.go(take);
    case vacate:
        m.vacate();
        return m.go(wake);
    case wake:
        m.apply(production_event::give_up);
        return m.call(program::wake_idle_caller, woken);
    case woken:
        m.result();
        m.here().b = 1;
        return m.go(take);
    case abandon:
        // As the producer does that leaves.
        m.access("says that no thread is awake");
        m.set_asleep(true, false);
        return m.go(tell);
    case tell:
        return m.call(program::wake_up, asked);
    case asked:
        // By a thread, perhaps, that has come meanwhile.
        m.access("looks whether a caller is there and no thread produces");
        if (m.w.runners != 0 && m.sees_idle() && !m.w.ioc_stopped)
            return m.become(program::dispatch);
        return m.ret();
    }
}

inline void stop(machine& m)
{
    enum { io_context, flag, tasks, callers };
    switch (m.here().line)
    {
    case io_context:
        m.access("stops the io_context");
        m.w.ioc_stopped = 1;
        return m.go(flag);
    case flag:
        m.access("tells the reactor");
        m.w.stopped_flag = 1;
        return m.go(tasks);
    case tasks:
        return m.call(program::recall, callers);
    case callers:
        if (m.is(flaw::stop_wakes_none))
            return m.ret();
        return m.become(program::wake_all);
    }
}

}

#pragma GCC diagnostic pop

#endif
