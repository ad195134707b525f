// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Callers that step, by poll() and run_one(), also within a task; and a restart() after stop().

#ifndef ASIO_EWYK_TEST_MODEL_STEP_MODELS_HPP
#define ASIO_EWYK_TEST_MODEL_STEP_MODELS_HPP

#include "collection.hpp"

#include <vector>

namespace model {

inline std::vector<named_setup> step_models()
{
    using enum action::kind_type;
    collection c;
    std::vector<action> const poster{{post, 1}, {release_work}};
    std::vector<action> const stopper{{post, 1}, {stop}, {release_work}};
    for (auto s : strategies)
        for (auto pool : {stopped_pool, one_thread})
        {
            bool const with_pool = pool.parked != 0;
            if (with_pool && s == ewyk::strategy_t::produce_consume)
                continue; // it does not use them
            c.add("poll(), then run()", s, pool, {{.posts = 2}, {}}, {poster, {{poll}, {run}}});
            c.add("poll(), then a post, beside run()", s, pool, {{}}, {{{poll}, {post, 1}, {release_work}}, {{run}}});
            c.add("run(), stop(), restart(), run()", s, pool, {{.posts = 2}, {}},
                {stopper, {{run}, {restart}, {run}}});
            c.add("poll(), run_one(), stop(), restart(), run()", s, pool, {{}},
                {stopper, {{poll}, {run_one_loop}, {restart}, {run}}});
            c.add("a task polls", s, pool, {{.posts = 2, .steps = task_kind::poll}, {}},
                {poster, {{run}}});
            // In these the two strategies that hand over differ in a single step.
            if (!with_pool || s != ewyk::strategy_t::execute_produce_consume)
            {
                c.add("poll() beside run()", s, pool, {{}}, {poster, {{poll}}, {{run}}});
                c.add("poll() and run_one()", s, pool, {{}}, {poster, {{poll}}, {{run_one_loop}}});
                c.add("a task polls, beside run()", s, pool, {{.steps = task_kind::poll}},
                    {poster, {{run}}, {{run}}});
            }
            // The pool's only thread would wait for what it has given to the pool.
            if (!with_pool || s != ewyk::strategy_t::produce_execute_consume)
                c.add("a task calls run_one() for what others post", s, pool,
                    {{.waits_for = 2, .steps = task_kind::run_one}, {}},
                    {{{post, 1}, {post, 2}, {release_work}}, {{run_one_loop}}});
            // Another thread could take it, and the call would go on waiting for one.
            if (!with_pool)
                c.add("a task calls run_one() for another one", s, pool,
                    {{.posts = 2, .waits_for = 2, .steps = task_kind::run_one}, {}},
                    {poster, {{run}}});
        }
    for (auto s : {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill})
    {
        // The call around it keeps the right.
        c.add("a task that does not block polls", s, one_thread,
            {{.invocation = ewyk::invocation_t::non_blocking, .posts = 2, .steps = task_kind::poll}, {}},
            {poster, {{run}}});
        setup const grace{.grace = true};
        setup const endless{.grace = true, .endless = true};
        c.add("poll(), then run(), with grace", s, one_thread, {{.posts = 2}, {}},
            {poster, {{poll}, {run}}}, grace);
        c.add("run(), stop(), restart(), run(), with grace", s, one_thread, {{.posts = 2}, {}},
            {stopper, {{run}, {restart}, {run}}}, grace);
        c.add("a task polls, with grace", s, one_thread,
            {{.posts = 2, .steps = task_kind::poll}, {}}, {poster, {{run}}}, grace);
        // The model's pool may have its last thread produce, which the other strategy needs for tasks.
        if (s == ewyk::strategy_t::execute_produce_consume)
            c.add("a task polls and waits for what others post, with grace", s, one_thread,
                {{.waits_for = 2, .steps = task_kind::poll}, {}},
                {{{post, 1}, {post, 2}, {release_work}}, {{run}}}, endless);
    }
    return c.take();
}

}

#endif
