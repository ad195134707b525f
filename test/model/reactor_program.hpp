// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Modelled on reactor.hpp, with as much of an io_context as it uses.

#ifndef ASIO_EWYK_TEST_MODEL_REACTOR_PROGRAM_HPP
#define ASIO_EWYK_TEST_MODEL_REACTOR_PROGRAM_HPP

#include "machine.hpp"

// Steps of different programs may have the same names.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

namespace model {

/// produce(), wait() and inside().
inline void reactor_produce(machine& m)
{
    enum
    {
        wakes, must_leave, take_back_stop, is_stopped, was_stopped, any_runner, take, drain, late_clear,
        poll, polled, fall_asleep, look_again, go_inside, lease, run_one, sleeps_inside,
        native, native_done, in_place, keep, kept, on_lease, late, may_resume, other_resumes, resumed, look_at_own,
        looked, lease_again, capture, captured, come_out, out, late_out, may_resume_out, other_resumes_out,
        superseded, gone_for_good,
        awake, ioc_stopped, last_look, leave, asleep, announced
    };
    // b: whether the io_context ran something; or that this is a poll, which has run nothing yet
    activation& here = m.here();
    static constexpr byte polls = 2;
    thread_state& me = m.me();
    bool const pool = !me.inside_run;

    switch (here.line)
    {
    case wakes:
        m.needs_right();
        if (!m.own_view_of_asleep())
            return m.go(must_leave);
        m.access("wakes");
        m.set_asleep(false, true);
        return m.go(must_leave);

    case must_leave:
        m.access("looks whether it was stopped");
        if (m.w.stopped_flag)
            return m.go(m.is(flaw::stop_outlives_restart) ? leave
                    : m.is(flaw::stop_is_forgotten)       ? is_stopped
                                                          : take_back_stop);
        return m.go(pool ? any_runner : take);
    case take_back_stop:
        m.access("takes the stop back");
        m.w.stopped_flag = 0;
        if (m.is(flaw::stop_is_forgotten))
            return m.go(pool ? any_runner : take);
        return m.go(is_stopped);
    case is_stopped:
        m.access("asks the io_context whether it is stopped");
        if (m.w.ioc_stopped)
            return m.go(was_stopped);
        return m.go(m.is(flaw::stop_is_forgotten) ? take_back_stop : pool ? any_runner : take);
    case was_stopped:
        m.access("says that it was stopped");
        m.w.stopped_flag = 1;
        if (m.is(flaw::plain_stop_wakes_none) || m.is(flaw::stop_wakes_none))
            return m.go(leave);
        return m.call(program::wake_all, leave);
    case any_runner:
        m.access("looks for runners");
        return m.go(m.w.not_stepping == 0 ? leave : take);

    case take:
        if (me.has_deadline && !me.expired)
        {
            m.access("looks at the clock");
            me.expired = m.luck.maybe();
        }
        if (!pool && call_is_done(me))
            return m.go(leave);
        return m.go(drain);
    case drain:
        m.needs_right();
        if (!m.w.ready.empty())
            return m.ret(m.w.ready.pop());
        m.access("drains the queue");
        if (m.w.posted.empty() || (m.config().weak_memory && m.luck.maybe()))
        {
            bool const polls_now
                = m.config().polls_first && !pool && !me.has_polled && m.may_lease_visit();
            return m.go(m.is(flaw::sleeps_before_saying_so) ? look_again
                    : polls_now                             ? poll
                                                            : fall_asleep);
        }
        while (!m.w.posted.empty())
            m.put(m.w.ready, m.w.posted.pop());
        return m.go(m.is(flaw::clears_wake_up_late) ? late_clear : must_leave);
    case late_clear:
        m.access("clears wake_queued");
        m.w.wake_queued = 0;
        return m.go(must_leave);

    // Before it waits; it may be late in it at any time.
    case poll:
        here.b = polls;
        me.has_polled = 1;
        m.begin_lease(runs_task);
        return m.go(run_one);
    case polled:
        m.needs_right();
        if (m.w.ready.empty() || m.is(flaw::sleeps_after_poll))
            return m.go(fall_asleep);
        here.b = 1;
        return m.go(awake);

    case fall_asleep:
        m.access("falls asleep");
        m.set_asleep(true, m.is(flaw::says_so_weakly));
        here.b = 1;
        return m.go(m.is(flaw::sleeps_before_saying_so) ? (me.foreign ? awake : go_inside)
                                                        : look_again);
    case look_again:
        m.access("looks in the queue again");
        here.b = 1;
        if (!m.w.posted.empty())
            return m.go(awake);
        if (m.is(flaw::sleeps_before_saying_so))
            return m.go(fall_asleep);
        here.b = 0;
        return m.go(me.foreign ? awake : go_inside);

    case go_inside:
        here.b = 0;
        if (!(m.is(flaw::visits_as_it_runs_tasks) ? m.may_lease() : m.may_lease_visit()))
            return m.go(run_one);
        return m.go(lease);
    case lease:
        m.begin_lease(waits);
        return m.go(run_one);
    case run_one:
        if (here.b != polls && me.has_deadline && !me.expired && m.luck.maybe())
        {
            me.expired = 1;
            m.access("comes to its deadline");
            return m.go(come_out);
        }
        if (m.w.work == 0)
            m.w.ioc_stopped = 1;
        if (!m.w.ioc_stopped && m.w.ioc.empty())
        {
            if (here.b == polls || (me.no_wait && !m.is(flaw::poll_waits)))
            {
                m.access("polls the io_context in vain");
                return m.go(come_out);
            }
            if (!m.config().own_queues)
                return m.wait();
            m.access("sleeps in the io_context");
            m.w.ioc_waits |= m.self_bit();
            return m.go(sleeps_inside);
        }
        if (m.w.ioc_stopped)
        {
            m.access("run_one() finds the io_context stopped");
            return m.go(come_out);
        }
        here.b = 1;
        if (byte const item = m.w.ioc.pop(); item != wake_up_handler)
        {
            here.a = item;
            if (m.config().kind(item).native)
                return m.go(native);
            return m.go(m.config().in_place ? in_place : capture);
        }
        m.access("takes a wake-up");
        return m.call(program::woken, come_out);

    case sleeps_inside:
        // What comes into the queue without a signal stays unseen.
        if ((m.w.ioc_waits & m.self_bit()) && !m.w.ioc_stopped && m.w.work != 0)
            return m.wait();
        m.w.ioc_waits = static_cast<byte>(m.w.ioc_waits & ~m.self_bit());
        return m.go(run_one);

    case native:
        m.access("runs in the io_context handler", here.a);
        m.w.blocked |= m.self_bit();
        m.w.work = static_cast<byte>(m.w.work + (m.config().kind(here.a).then != 0));
        me.counted = me.limited;
        return m.call(program::run_task, native_done, here.a);
    case native_done:
        m.w.blocked = static_cast<byte>(m.w.blocked & ~m.self_bit());
        return m.go(come_out);

    // begin_in_place() and end_in_place()
    case in_place:
    {
        auto const sub = ewyk::detail::choose(
            m.config().strategy, m.config().invocation(here.a), !me.must_not_block, true);
        if (sub == ewyk::detail::sub_strategy::produce_consume)
        {
            m.w.work = static_cast<byte>(m.w.work + (m.config().kind(here.a).then != 0));
            return m.go(me.leased || me.producing ? keep : capture);
        }
        m.w.work = static_cast<byte>(m.w.work + (m.config().kind(here.a).then != 0));
        if (sub != ewyk::detail::sub_strategy::execute_produce_consume || !me.leased)
            return m.go(capture);
        m.access("is about to run in place task", here.a);
        m.mark(runs_task);
        me.producing = 0;
        me.counted = me.limited;
        return m.call(program::run_task, on_lease, here.a);
    }
    case keep:
        m.access("is about to run in place, and to keep the right, task", here.a);
        me.counted = me.limited;
        // The handler before was late.
        if (me.leased && !me.its_lease && !m.is(flaw::keeps_by_mark))
        {
            me.producing = 0;
            return m.call(program::run_task, on_lease, here.a);
        }
        m.mark(keeps);
        me.kept = std::exchange(me.leased, byte{0});
        return m.call(program::run_task, kept, here.a);
    case kept:
        m.access("has kept the right");
        if (me.kept ? !me.its_lease : m.w.holder != m.self() + 1)
            m.fail("a task that keeps the right has lost it");
        me.leased = std::exchange(me.kept, byte{0});
        m.mark(waits);
        return m.go(come_out);
    case on_lease:
        if (me.leased && m.renew_lease())
        {
            me.producing = 1;
            return m.go(come_out);
        }
        me.leased = 0;
        return m.go(late);
    case late:
        if (m.config().places && pool && !me.occupies)
        {
            me.occupies = m.occupy_if_one_is_left();
            return m.go(me.occupies ? may_resume : other_resumes);
        }
        return m.go(may_resume);
    case other_resumes:
        return m.call(program::dispatch, come_out);
    case may_resume:
        me.producing = m.apply(production_event::resume) == production_verdict::produce;
        return m.go(!me.producing ? come_out : m.is(flaw::leases_before_look) ? lease_again : resumed);
    case resumed:
        m.access("says that it is not awake, and produces again");
        m.set_asleep(true, false);
        return m.go(look_at_own);
    case look_at_own:
        m.needs_right();
        return m.call(program::announce, looked, !m.w.ready.empty());
    case looked:
        return m.go(m.is(flaw::leases_before_look) ? come_out : lease_again);
    case lease_again:
        m.begin_lease(waits);
        return m.go(m.is(flaw::leases_before_look) ? resumed : come_out);

    case capture:
        m.access("captures task", here.a);
        if (me.leased || (!me.producing && !m.is(flaw::capture_is_own)))
            m.put(m.w.posted, here.a);
        else
        {
            m.needs_right();
            m.put(m.w.ready, here.a);
        }
        return m.go(captured);
    // Another thread may produce, and sleep.
    case captured:
        m.access("looks whether it has the right");
        if ((me.leased ? me.its_lease : me.producing) || !m.w.asleep)
            return m.go(come_out);
        return m.call(program::wake_up, come_out);

    // It leaves the io_context.
    case come_out:
        if (byte const then = here.a && !me.thrown ? m.config().kind(here.a).then : byte{0})
        {
            here.a = then;
            return m.go(in_place);
        }
        m.leaves_io_context();
        here.a = 0;
        return m.go(out);
    case out:
        if (me.leased)
        {
            me.producing = m.take_back_lease();
            return m.go(me.producing ? awake : late_out);
        }
        return m.go(me.producing ? awake : late_out);
    case late_out:
        if (m.config().places && pool && !me.occupies)
        {
            me.occupies = m.occupy_if_one_is_left();
            return m.go(me.occupies ? may_resume_out : other_resumes_out);
        }
        return m.go(may_resume_out);
    case other_resumes_out:
        return m.call(program::dispatch, superseded);
    case may_resume_out:
        me.producing = m.apply(production_event::resume) == production_verdict::produce;
        return m.go(me.producing ? awake : superseded);
    case superseded:
        if (m.is(flaw::superseded_tells_none))
            return m.ret();
        return m.call(program::wake_up, gone_for_good);
    case gone_for_good:
        return m.ret();

    case awake:
        if (here.b == polls)
            return m.go(polled);
        m.access("is awake");
        m.set_asleep(false, true);
        if (me.thrown)
            return m.ret();
        return m.go(here.b ? must_leave : ioc_stopped);
    case ioc_stopped:
        m.access("looks whether the io_context is stopped");
        if (!m.w.ioc_stopped)
            return m.go(last_look);
        if (m.is(flaw::end_wakes_none))
            return m.go(leave);
        return m.call(program::wake_all, leave);
    case last_look:
        m.access("looks in the queue once more");
        return m.go(m.w.posted.empty() ? leave : must_leave);

    case leave:
        return m.call(program::fall_asleep, asleep);
    case asleep:
        return m.call(program::announce, announced, m.result());
    case announced:
        return m.ret();
    }
}

/// Before the producer gives up the right; whether tasks are left that were drained.
inline void fall_asleep(machine& m)
{
    if (m.is(flaw::leaves_awake))
        return m.ret();
    m.access("says that no thread is awake");
    m.set_asleep(true, false);
    m.ret(!m.w.ready.empty());
}

/// a: whether drained tasks are left.
inline void announce(machine& m)
{
    if (m.is(flaw::leaves_without_look))
        return m.ret();
    m.access("looks what is left");
    if (m.here().a || !m.w.posted.empty())
        return m.become(program::wake_up);
    return m.ret();
}

/// a: the task. One that comes back from the pool counts as work already.
inline void post(machine& m)
{
    enum { push, look };
    switch (m.here().line)
    {
    case push:
        m.access("posts task", m.here().a);
        m.put(m.w.posted, m.here().a);
        if (!m.recalls())
            ++m.w.work;
        return m.go(look);
    case look:
        m.access("looks whether the producer sleeps");
        if (m.w.asleep)
            return m.become(program::wake_up);
        return m.ret();
    }
}

inline void wake_up(machine& m)
{
    enum { exchange, send };
    switch (m.here().line)
    {
    case exchange:
        m.access("looks whether a wake-up is under way");
        if (std::exchange(m.w.wake_queued, byte{1}))
            return m.ret();
        return m.go(send);
    case send:
        m.access("sends a wake-up");
        m.send(wake_up_handler);
        ++m.w.work;
        return m.ret();
    }
}

/// The wake-up, run inside the io_context.
inline void woken(machine& m)
{
    enum { clear, ran, look, posted, done };
    switch (m.here().line)
    {
    case clear:
        m.access("runs the wake-up");
        if (!m.is(flaw::clears_wake_up_late))
            m.w.wake_queued = 0;
        if (m.me().foreign)
            return m.call(program::take_part, ran);
        return m.go(done);
    case ran:
        if (m.me().thrown || m.is(flaw::foreign_keeps_wake_up))
            return m.go(done);
        m.access("looks whether a producer sleeps");
        return m.go(m.w.asleep && !m.sees_idle() ? look : done);
    case look:
        m.access("runs what is posted");
        if (m.w.posted.empty())
            return m.go(done);
        return m.call(program::run_task, posted, m.w.posted.pop());
    case posted:
        if (m.me().thrown)
            return m.w.posted.empty() ? m.go(done) : m.call(program::wake_up, done);
        return m.go(look);
    case done:
        m.access("has run the wake-up");
        m.finish_work();
        return m.ret();
    }
}

}

#pragma GCC diagnostic pop

#endif
