// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Modelled on what a task may do, and on the call of run_one() or poll() that it may make.

#ifndef ASIO_EWYK_TEST_MODEL_TASK_PROGRAM_HPP
#define ASIO_EWYK_TEST_MODEL_TASK_PROGRAM_HPP

#include "machine.hpp"

namespace model {

/// A call within a task has a frame of its own; what is returned has that of the call around it.
inline byte enter_nested_call(machine& m)
{
    thread_state& me = m.me();
    if (me.inner)
        m.fail("the model has room for one nested call");
    me.inner = 1;
    byte const outer = static_cast<byte>(me.producing | me.stepping << 1 | me.limited << 2
        | me.counted << 3 | me.no_wait << 4 | me.occupies << 5 | me.leased << 6 | me.kept << 7);
    auto const call = m.config().kind(m.here().a).steps;
    me.nested = me.producing;
    me.stepping = 1;
    me.limited = call == task_kind::run_one;
    me.no_wait = call == task_kind::poll;
    me.counted = me.occupies = me.leased = me.kept = 0;
    return outer;
}

inline void leave_nested_call(machine& m, byte outer)
{
    thread_state& me = m.me();
    me.inner = 0;
    me.nested = 0;
    me.producing = outer & 1;
    me.stepping = outer >> 1 & 1;
    me.limited = outer >> 2 & 1;
    me.counted = outer >> 3 & 1;
    me.no_wait = outer >> 4 & 1;
    me.occupies = outer >> 5 & 1;
    me.leased = outer >> 6 & 1;
    me.kept = outer >> 7 & 1;
}

/// a: the task.
inline void run_task(machine& m)
{
    enum { begin, completes, posts, steps, inside, stepped, section, blocks, finish };
    byte const task = m.here().a;
    task_kind const& kind = m.config().kind(task);
    switch (m.here().line)
    {
    case begin:
        m.access("runs task", task);
        if ((m.w.ran & bit(task)) && !kind.again)
            m.fail("a task runs twice");
        m.w.ran |= bit(task);
        return m.go(completes);
    case completes:
        if (kind.completes != 0)
            m.complete(kind.completes);
        return m.go(posts);
    case posts:
        if (byte const other = kind.again ? task : kind.posts)
            return m.call(program::post, steps, other);
        return m.go(steps);
    case steps:
        if (kind.steps == task_kind::none)
            return m.go(section);
        return m.is(flaw::nested_call_waits_leased) ? m.go(inside) : m.call(program::release, inside);
    case inside:
        m.here().b = enter_nested_call(m);
        // The call around it produces, and so does this one then.
        return m.call(m.me().nested ? program::loop : program::take_part, stepped);
    case stepped:
        leave_nested_call(m, std::exchange(m.here().b, byte{0}));
        return m.go(section);
    case section:
        if (!kind.section || m.is(flaw::section_is_forgotten))
            return m.go(blocks);
        return m.call(program::release, blocks);
    case blocks:
        if (kind.waits_for == 0)
            return m.go(finish);
        if (!(m.w.ran & bit(kind.waits_for)))
            return m.wait();
        m.access("goes on with task", task);
        return m.go(finish);
    case finish:
        m.me().thrown = kind.throws;
        m.access("has done task", task);
        m.finish_work();
        return m.ret();
    }
}

}

#endif
