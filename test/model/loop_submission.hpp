// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What every thread of the event loop's model can do, and above all submit.

#ifndef ASIO_EWYK_TEST_MODEL_LOOP_SUBMISSION_HPP
#define ASIO_EWYK_TEST_MODEL_LOOP_SUBMISSION_HPP

#include "explorer.hpp"
#include "loop_state.hpp"

#include <cstddef>
#include <utility>

namespace model::event_loops {

struct submission
{
    enum submit_line : byte
    {
        look_closed, look_fresh, lock, count, push, push_only, push_and_send, look, exchange, store, send
    };

    config const& model;
    state& s;
    chance& luck;
    char const* wrong = nullptr;

    bool is(flaw f) const { return model.wrong == f; }

    void put(list& l, byte item)
    {
        if (!l.push(item))
            wrong = "a queue of the model is too small";
    }

    void send_wake_up()
    {
        if (s.ioc.has(wake_up))
            wrong = "a wake-up is sent while one is under way";
        put(s.ioc, wake_up);
    }

    char const* go(byte& line, byte to, char const* label)
    {
        line = to;
        return label;
    }

    // A thread that is not the loop's: execute().
    char const* submit(std::size_t i)
    {
        submitter& me = s.others[i];
        if (me.done == (i == submitters ? 1 : model.posts[i]))
            return nullptr;
        byte const task = static_cast<byte>(2 * i + 1 + me.done);
        auto const done = [&](char const* label) {
            ++me.done;
            return go(me.line, look_closed, label);
        };
        auto const pushes = [&] {
            s.accepted |= bit(task);
            put(s.posted, task);
        };
        switch (me.line)
        {
        case look_closed:
            if (s.closed)
                return done("finds the loop closed, and drops its task");
            return go(me.line, look_fresh, "finds the loop open");
        case look_fresh:
            return go(me.line, s.now == life::fresh ? lock : count, "looks whether the loop has begun");
        case lock:
            if (s.now == life::fresh || is(flaw::starts_after_the_end))
            {
                if (s.now == life::terminated)
                    wrong = "the thread is started after the end";
                s.thread = 1;
                s.now = life::running;
            }
            return go(me.line, count, "starts the thread, unless another one did");
        case count:
            if (model.limit == 0)
                return push_or_look(me, pushes);
            if (s.pending >= model.limit)
            {
                s.pending = static_cast<byte>(s.pending + is(flaw::counts_refused_tasks));
                return done("is refused");
            }
            ++s.pending;
            return go(me.line, push, "counts its task");
        case push:
            return push_or_look(me, pushes);
        case push_only:
            pushes();
            return done("adds its task");
        case push_and_send:
            pushes();
            return go(me.line, exchange, "adds its task");
        case look:
            if (s.scheduled)
                return done("sees that a wake-up is under way");
            return go(me.line, is(flaw::sends_without_exchange) ? store : exchange, "sees none under way");
        case exchange:
            if (std::exchange(s.scheduled, byte{1}))
                return done("finds a wake-up under way");
            return go(me.line, send, "says that a wake-up is under way");
        case store:
            s.scheduled = 1;
            return go(me.line, send, "says that a wake-up is under way");
        case send:
            send_wake_up();
            return done("sends a wake-up");
        }
        return nullptr;
    }

    template <class Pushes>
    char const* push_or_look(submitter& me, Pushes pushes)
    {
        if (!is(flaw::posts_after_look))
        {
            pushes();
            return go(me.line, look, "adds its task");
        }
        return go(me.line, s.scheduled ? push_only : push_and_send, "looks whether a wake-up is under way");
    }
};

}

#endif
