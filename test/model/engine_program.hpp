// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Modelled on strategy_engine.hpp, for what is around it in a strategy_service. The engine itself is
// explored as it ships, see test/interleaving.

#ifndef ASIO_EWYK_TEST_MODEL_ENGINE_PROGRAM_HPP
#define ASIO_EWYK_TEST_MODEL_ENGINE_PROGRAM_HPP

#include "watch_program.hpp"
#include "pool_program.hpp"
#include "task_program.hpp"

namespace model {

using ewyk::detail::sub_strategy;

inline void enter(machine& m)
{
    if (m.apply(production_event::enter) == production_verdict::produce)
        return m.become(program::loop);
    m.ret();
}

inline void arrive(machine& m)
{
    enum { come, vacate, take, keep_one_parked, leave };
    switch (m.here().line)
    {
    case come:
        return m.go(m.pending_has_come(m.of_pool()) ? vacate : take);
    case vacate:
        m.vacate();
        return m.go(take);
    case take:
        if (m.apply(production_event::arrive) != production_verdict::produce)
            return m.go(leave);
        return m.config().grace && m.w.absent ? m.go(keep_one_parked) : m.become(program::loop);
    case keep_one_parked:
        m.access("sees to it that one is parked");
        if (m.may_start() && m.w.parked == 0 && m.w.callers == 0 && m.w.absent != 0 && m.w.starting == 0)
            start_thread(m);
        return m.become(program::loop);
    case leave:
        if (std::exchange(m.me().occupies, byte{0}))
            m.vacate();
        return m.ret();
    }
}

inline void dispatch(machine& m)
{
    enum { wake, woken, may_start, ask, asked, give_up, wake_idle_caller };
    switch (m.here().line)
    {
    case wake:
        if (m.is(flaw::stepper_awaits_idle_caller))
            return m.go(ask);
        return m.call(program::wake_idle_caller, woken);
    case woken:
        if (m.result())
            return m.ret();
        return m.go(may_start);
    case may_start:
        if (m.may_start())
            return m.go(ask);
        return m.ret();
    case ask:
        if (m.apply(production_event::ask) == production_verdict::start)
            return m.call(program::start, asked);
        return m.ret();
    case asked:
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

/// Gives up the right to produce: the thread that comes next takes it.
inline void abdicate(machine& m)
{
    enum { asleep, early, apply, announce, out };
    activation& here = m.here();
    bool const silent = m.me().thrown && m.is(flaw::thrower_leaves_awake);
    switch (here.line)
    {
    case asleep:
        m.me().producing = 0;
        if (silent)
            return m.go(apply);
        return m.call(program::fall_asleep, m.is(flaw::announces_before_leaving) ? early : apply);
    case early:
        return m.call(program::announce, apply, m.result());
    case apply:
        m.apply(production_event::abdicate);
        return m.go(silent || m.is(flaw::announces_before_leaving) ? out : announce);
    case announce:
        return m.become(program::announce, m.result());
    case out:
        return m.ret();
    }
}

/// a: the task; b: whether another thread has taken over.
inline void loop(machine& m)
{
    enum
    {
        begin, next, got, found_none, step_aside, wake_idle_caller, woke, hand_over, release, ask_thread, asked,
        asked_early, take_back, let_go, decide, gave, in_place, apart, caught, ask_other,
        gone, left, thrower_gone, thrower_left, leave, out, lease, on_lease, late, may_resume, other_resumes,
        gave_job, gave_job_apart, gave_job_done
    };
    activation& here = m.here();
    thread_state& me = m.me();
    auto const chosen = [&](bool handed_over) {
        return ewyk::detail::choose(m.config().strategy, m.config().invocation(here.a),
            !me.must_not_block, handed_over);
    };
    bool const nested = me.nested && !m.is(flaw::nested_call_hands_over);
    auto const produces = [&](production_event e) {
        return m.apply(e) == production_verdict::produce;
    };

    switch (here.line)
    {
    case begin:
        return m.go(next);
    case next:
        me.producing = 1;
        return m.call(program::reactor_produce, got);
    case got:
        here.a = m.result();
        here.b = 0;
        if (me.thrown)
            return m.go(caught);
        if (here.a == 0 && !me.producing && !m.is(flaw::superseded_gives_up))
            return m.go(leave);
        if (here.a == 0)
            return m.go(found_none);
        me.counted = me.limited;
        if (chosen(true) != sub_strategy::execute_produce_consume || nested)
            return m.go(decide);
        if (!m.may_lease())
            return m.go(hand_over);
        return m.go(lease);

    case lease:
        me.producing = 0;
        m.begin_lease(runs_task);
        return m.call(program::run_task, on_lease, here.a);
    case on_lease:
        here.a = here.b = 0;
        if (!me.leased)
            return m.go(late);
        me.producing = m.take_back_lease();
        return m.go(!me.producing ? late : me.thrown ? caught : next);
    case late:
        if (m.config().places && m.of_pool() && !me.occupies)
        {
            me.occupies = m.occupy_if_one_is_left();
            return m.go(me.occupies ? may_resume : other_resumes);
        }
        return m.go(may_resume);
    case may_resume:
        me.producing = produces(production_event::resume);
        return m.go(me.thrown ? caught : me.producing ? next : leave);
    case other_resumes:
        return m.call(program::dispatch, me.thrown ? caught : leave);
    case found_none:
        if (me.nested && !m.is(flaw::nested_call_gives_up))
            return m.go(leave);
        if (produces(production_event::found_none))
            return m.go(next);
        return m.go(gone);
    case gone:
        m.access("has given up the right");
        return m.w.not_stepping != 0 ? m.go(leave) : m.call(program::wake_idle_caller, left);
    case left:
        m.result();
        return m.go(leave);

    case step_aside:
        return m.call(program::abdicate, wake_idle_caller);
    case wake_idle_caller:
        return m.call(program::wake_idle_caller, woke);
    case woke:
        m.result();
        here.b = 1;
        return m.go(decide);

    case hand_over:
        if (m.w.pending_may_wait && m.config().strategy != ewyk::strategy_t::execute_produce_consume)
            return m.go(decide);
        if (!m.is(flaw::stepper_keeps_right) && m.all_step())
            return m.go(step_aside);
        return m.go(release);
    case release:
        if (m.is(flaw::starts_before_release))
            return m.call(program::try_start, asked_early, production_job);
        me.producing = 0;
        if (m.apply(production_event::hand_over) == production_verdict::start)
            return m.go(ask_thread);
        here.b = 1;
        return m.go(decide);
    case ask_thread:
        return m.call(m.config().strategy == ewyk::strategy_t::execute_produce_consume
                ? program::start : program::try_start, asked);
    case asked:
        here.b = m.result();
        return m.go(here.b ? decide : take_back);
    case asked_early:
        here.b = m.result();
        return m.go(here.b ? let_go : decide);
    case let_go:
        me.producing = 0;
        m.apply(production_event::hand_over);
        return m.go(decide);
    case take_back:
        me.producing = produces(production_event::take_back);
        here.b = !me.producing;
        return m.go(decide);

    case decide:
        switch (chosen(here.b != 0))
        {
        case sub_strategy::produce_execute_consume:
            if (m.is(flaw::blocks_producer))
                return m.call(program::run_task, in_place, here.a);
            if (m.config().strategy != ewyk::strategy_t::produce_execute_consume
                && (nested || m.all_step()))
                return m.call(program::run_task, in_place, here.a);
            return m.call(program::give, gave, here.a);
        case sub_strategy::produce_invoke_consume:
            me.must_not_block = static_cast<byte>(me.must_not_block + 2);
            here.b = 2;
            return m.call(program::run_task, in_place, here.a);
        case sub_strategy::produce_consume:
            return m.call(program::run_task, in_place, here.a);
        case sub_strategy::execute_produce_consume:
            break;
        }
        return m.call(program::run_task, apart, here.a);
    case gave:
        here.a = m.result();
        if (here.a == production_job)
            return m.go(gave_job);
        if (here.a)
            return m.call(program::run_task, in_place, here.a);
        return m.go(next);
    // What waited first was the request for a producer, which is here.
    case gave_job:
        if (m.pending_has_come(false))
            m.vacate();
        return m.go(gave_job_apart);
    case gave_job_apart:
        m.apply(production_event::arrive);
        return m.go(gave_job_done);
    case gave_job_done:
        m.access("looks whether all threads produce, and what waits");
        here.a = !m.w.pool_queue.empty() && m.all_occupied() ? m.w.pool_queue.pop() : byte{0};
        if (here.a)
            return m.call(program::run_task, in_place, here.a);
        return m.go(next);
    case in_place:
        me.must_not_block = static_cast<byte>(me.must_not_block - (here.b & 2));
        here.a = here.b = 0;
        return m.go(me.thrown ? caught : next);
    case apart:
        if (me.thrown && m.is(flaw::thrower_goes_on))
        {
            me.thrown = 0;
            return m.go(next);
        }
        here.a = here.b = 0;
        return m.go(me.thrown ? caught : late);

    case caught:
        if (!me.producing || m.is(flaw::thrower_keeps_right))
            return m.go(leave);
        return m.call(program::abdicate, m.is(flaw::thrower_tells_none) ? leave : ask_other);
    case ask_other:
        return m.go(thrower_gone);
    case thrower_gone:
        m.access("has given up the right");
        return m.w.not_stepping != 0 ? m.call(program::dispatch, leave)
                                     : m.call(program::wake_idle_caller, thrower_left);
    case thrower_left:
        m.result();
        return m.call(program::dispatch, leave);
    case leave:
        me.producing = 0;
        return m.go(out);
    case out:
        if (std::exchange(me.occupies, byte{0}))
            m.vacate();
        return m.ret();
    }
}

}

#endif
