// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The protocol as a system to explore: all programs, the callers' scripts, and what must hold at
// the end.

#ifndef ASIO_EWYK_TEST_MODEL_PROTOCOL_HPP
#define ASIO_EWYK_TEST_MODEL_PROTOCOL_HPP

#include "engine_program.hpp"
#include "machine.hpp"
#include "pool_program.hpp"
#include "reactor_program.hpp"
#include "service_program.hpp"

#include <cstddef>

namespace model {

/// Carries out the actions of a thread of the caller's.
inline void script(machine& m)
{
    enum { next, ran, stepped, plain, plain_ran, plain_done };
    thread_state& me = m.me();
    auto const& actions = m.config().callers[m.self()];
    action const now = me.position < actions.size() ? actions[me.position] : action{};
    auto const done = [&] {
        me.thrown = 0;
        ++me.position;
        m.go(next);
    };
    auto const part = [&](bool stepping, bool foreign, bool limited, bool deadline, bool polls = false) {
        me.no_wait = polls;
        me.stepping = stepping;
        me.foreign = foreign;
        me.limited = limited;
        me.has_deadline = deadline;
        me.expired = 0;
        me.counted = 0;
    };

    switch (m.here().line)
    {
    case next:
        if (me.position == actions.size())
        {
            part(false, false, false, false);
            return m.ret();
        }
        switch (now.kind)
        {
        case action::post:
            return m.call(program::post, ran, now.task);
        case action::complete:
            m.access("completes the operation of task", now.task);
            m.send(now.task);
            return done();
        case action::release_work:
            m.access("resets its work guard");
            m.finish_work();
            return done();
        case action::run:
            part(false, false, false, false);
            return m.call(program::take_part, ran);
        case action::run_for:
            part(false, false, false, true);
            return m.call(program::take_part, ran);
        case action::run_one:
        case action::run_one_loop:
            part(true, false, true, false);
            return m.call(program::take_part, stepped);
        case action::poll:
            part(true, false, false, false, true);
            return m.call(program::take_part, ran);
        case action::plain_run:
            part(true, true, false, false);
            return m.go(plain);
        case action::stop:
            return m.call(program::stop, ran);
        case action::restart:
            if (m.any_in_run())
                m.fail("the model restarts inside of run()");
            m.access("restarts");
            m.w.ioc_stopped = 0;
            return done();
        }
        return;
    case ran:
        if (me.thrown && now.kind == action::run)
        {
            me.thrown = 0;
            return m.go(next);
        }
        return done();
    case stepped:
        if (now.kind == action::run_one || (!me.thrown && !me.counted))
            return done();
        me.thrown = 0;
        return m.go(next);
    case plain:
        if (m.w.work == 0)
            m.w.ioc_stopped = 1;
        if (m.w.ioc_stopped)
        {
            m.access("returns from the io_context's run()");
            return done();
        }
        if (m.w.ioc.empty())
            return m.wait();
        if (byte const item = m.w.ioc.pop(); item != wake_up_handler)
        {
            m.access("runs the completion of task", item);
            return m.call(program::run_task, plain_done, item);
        }
        m.access("takes a wake-up, in the io_context's run()");
        return m.call(program::woken, plain_done);
    case plain_done:
        me.thrown = 0;
        return m.go(plain);
    }
}

class protocol
{
public:
    using state = world;

    explicit protocol(setup const& s) : setup_(s) {}

    // One more: what is stored weakly becomes visible.
    std::size_t threads() const { return setup_.threads() + setup_.weak_memory; }

    // Threads come last in it.
    std::size_t used_size() const
    {
        return offsetof(world, threads) + setup_.threads() * sizeof(thread_state);
    }

    state initial() const
    {
        world w;
        for (std::size_t i = 0; i != setup_.threads(); ++i)
        {
            thread_state& t = w.threads[i];
            t.depth = 1;
            if (i < setup_.callers.size())
            {
                t.stack[0].what = program::script;
                t.must_not_block = i < setup_.nonblocking_callers;
                // Work that is done later counts from the beginning.
                for (action a : setup_.callers[i])
                    w.work = static_cast<byte>(w.work + (a.kind == action::release_work)
                        + (a.kind == action::complete));
                continue;
            }
            if (i >= setup_.callers.size() + setup_.pool_threads())
            {
                t.stack[0].what = program::watch;
                continue;
            }
            bool const parked = i < setup_.callers.size() + setup_.parked;
            t.stack[0] = {program::pool_work, static_cast<byte>(parked ? sleep : unborn), 0, 0};
            (parked ? w.parked : w.absent) |= bit(i);
        }
        w.stopped_flag = setup_.stale_stop;
        return w;
    }

    step_result step(state& s, std::size_t thread, chance& c, bool with_label) const
    {
        machine m(s, setup_, thread, c, with_label);
        if (thread == setup_.threads())
        {
            if (s.asleep_late == 0)
                return {false, {}, nullptr};
            m.access("what was stored becomes visible");
            m.make_visible();
            return m.outcome();
        }
        if (s.threads[thread].depth == 0)
            return {false, {}, nullptr};
        while (!m.over() && s.threads[thread].depth != 0)
            advance(m);
        return m.outcome();
    }

    char const* wrong_at_end(state const& s) const
    {
        for (std::size_t i = 0; i != setup_.threads(); ++i)
        {
            thread_state const& t = s.threads[i];
            bool const pool = i >= setup_.callers.size();
            activation const& outermost = t.stack[0];
            if (outermost.what == program::watch)
                continue; // it waits only where there is nothing to look at
            if (pool && t.depth == 1 && (outermost.line == unborn
                    || (outermost.line == sleep && (s.parked & bit(i)))))
                continue;
            if (t.depth != 0)
                return pool ? "a thread of the pool waits for ever" : "a caller waits for ever";
        }
        if (!setup_.tasks_may_be_left)
            for (byte task = 1; task <= setup_.tasks.size(); ++task)
                if (!(s.ran & bit(task)))
                    return "a task is left unrun";
        auto const p = ewyk::detail::production::unpack(s.word);
        if (p.state != production_state::idle)
            return "the right to produce is lost";
        if (s.leased)
            return "a lease is left";
        if (s.occupied != 0)
            return "a place is lost";
        if (p.pending && s.pool_queue.empty())
            return "a thread is awaited that will never come";
        return nullptr;
    }

private:
    static void advance(machine& m)
    {
        switch (m.here().what)
        {
        case program::script: return script(m);
        case program::enter: return enter(m);
        case program::dispatch: return dispatch(m);
        case program::arrive: return arrive(m);
        case program::watch: return watch(m);
        case program::pass_on: return pass_on(m);
        case program::release: return release(m);
        case program::start_pending: return start_pending(m);
        case program::abdicate: return abdicate(m);
        case program::loop: return loop(m);
        case program::run_task: return run_task(m);
        case program::pool_work: return pool_work(m);
        case program::pool_try_execute: return pool_try_execute(m);
        case program::pool_execute: return pool_execute(m);
        case program::give: return give(m);
        case program::start: return start(m);
        case program::try_start: return try_start(m);
        case program::try_give: return try_give(m);
        case program::wake_idle_caller: return wake_idle_caller(m);
        case program::wake_all: return wake_all(m);
        case program::reactor_produce: return reactor_produce(m);
        case program::fall_asleep: return fall_asleep(m);
        case program::announce: return announce(m);
        case program::post: return post(m);
        case program::wake_up: return wake_up(m);
        case program::woken: return woken(m);
        case program::take_part: return take_part(m);
        case program::rest: return rest(m);
        case program::leave_run: return leave_run(m);
        case program::clear_pool: return clear_pool(m);
        case program::recall: return recall(m);
        case program::stop: return stop(m);
        }
    }

    setup const& setup_;
};

}

#endif
