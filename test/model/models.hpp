// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The models that are explored: which thread calls what, with which tasks, strategies and pools.

#ifndef ASIO_EWYK_TEST_MODEL_MODELS_HPP
#define ASIO_EWYK_TEST_MODEL_MODELS_HPP

#include "collection.hpp"

#include <string>
#include <utility>
#include <vector>

namespace model {

/// The right is leased while a task runs, and taken over if that is late.
inline std::vector<named_setup> grace_models()
{
    using enum action::kind_type;
    std::vector<named_setup> all;
    for (auto s : {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill})
    {
        setup const grace{.grace = true};
        setup const endless{.grace = true, .endless = true};
        std::vector<task_kind> const waits{{.waits_for = 2}, {}};
        std::vector<task_kind> const says_so{{.waits_for = 2, .section = true}, {}};
        setup const two_watch{.grace = true, .two_watch = true};
        // With two threads the other strategy has twice as many states, and no other steps.
        bool const one_is_enough = s == ewyk::strategy_t::execute_produce_consume;
        collection reactor;
        std::vector<action> const poster{{post, 1}, {post, 2}, {release_work}};
        reactor.add("two post, with grace", s, one_thread, {{}, {}},
            {{{post, 1}, {release_work}}, {{post, 2}, {release_work}}, {{run}}}, grace);
        if (!one_is_enough)
            reactor.add("one posts twice, with grace", s, one_thread, {{}, {}}, {poster, {{run}}}, grace);
        reactor.add("tasks throw, with grace", s, one_thread, {{.throws = true}, {.throws = true}},
            {poster, {{run}}}, grace);
        if (one_is_enough)
        {
            reactor.add("a task waits for another one, with grace", s, one_thread, waits,
                {poster, {{run}}}, grace);
            reactor.add("a task says that it waits for another one", s, one_thread, says_so,
                {poster, {{run}}}, endless);
        }
        reactor.add("tasks say that they block, run() and run_one()", s, one_thread,
            {{.section = true}},
            {{{post, 1}, {release_work}}, {{run_one_loop}}, {{run}}}, grace);
        // Handlers that are none of ours, which nothing marks.
        std::vector<task_kind> const native{
            {.waits_for = 2, .native = true}, {.invocation = ewyk::invocation_t::non_blocking}};
        std::vector<std::vector<action>> const native_first{
            {{complete, 1}, {post, 2}, {release_work}}, {{run}}};
        setup const polls_first{.grace = true, .polls_first = true};
        reactor.add("two posts, polls before it waits", s, one_thread, {{}, {}}, {poster, {{run}}}, polls_first);
        reactor.add("run_for(), then run(), with grace", s, one_thread, {{.posts = 2}, {}},
            {{{post, 1}, {release_work}}, {{run_for}, {run}}}, grace);
        reactor.add("run_for(), then run_one(), with grace", s, one_thread, {{}},
            {{{post, 1}, {release_work}}, {{run_for}, {run_one_loop}}}, grace);
        // The other strategy differs in a single step.
        if (!one_is_enough)
            reactor.add("run() and run_one(), with grace", s, one_thread, {{}},
                {{{post, 1}, {release_work}}, {{run_one_loop}}, {{run}}}, grace);
        reactor.add("run(), stop(), with grace", s, one_thread, {{}, {}},
            {{{post, 1}, {post, 2}, {stop}}, {{run}}},
            {.grace = true, .tasks_may_be_left = true});
        setup const in_place{.grace = true, .in_place = true};
        std::vector<action> const completer{{complete, 1}, {complete, 2}, {release_work}};
        reactor.add("a post and a completion, in place", s, one_thread, {{}, {}},
            {{{post, 1}, {complete, 2}, {release_work}}, {{run}}}, in_place);
        reactor.add("a completion, in place, and then a post", s, one_thread, {{}, {}, {}},
            {{{post, 1}, {complete, 2}, {post, 3}, {release_work}}, {{run}}}, in_place);
        reactor.add("completions throw, in place", s, one_thread,
            {{.throws = true}, {.throws = true}}, {completer, {{run}}}, in_place);
        reactor.add("run_for(), then run(), in place", s, one_thread, {{.posts = 2}, {}},
            {{{complete, 1}, {release_work}}, {{run_for}, {run}}}, in_place);
        reactor.add("run() and run_one(), in place", s, one_thread, {{}},
            {{{complete, 1}, {release_work}}, {{run_one_loop}}, {{run}}}, in_place);
        reactor.add("run(), stop(), in place", s, one_thread, {{}, {}},
            {{{complete, 1}, {complete, 2}, {stop}}, {{run}}},
            {.grace = true, .in_place = true, .tasks_may_be_left = true});
        reactor.add("a native handler waits for a task, with grace", s, one_thread, native, native_first,
            grace);
        reactor.add("a native handler waits for a task, two watch", s, cold_pool, native, native_first,
            two_watch);
        // The thread that is started for the first one may find that it is not needed any more.
        if (one_is_enough)
            reactor.add("a native handler, then one that waits for a completion", s, cold_pool,
                {{.native = true}, {.waits_for = 3, .native = true}, {}},
                {{{complete, 1}, {complete, 2}, {complete, 3}, {release_work}}, {{run}}}, grace);
        reactor.add("a native handler waits for a completion, in place", s, one_thread, native,
            {completer, {{run}}}, in_place);
        reactor.add("a native handler, then a completion that keeps the right", s, one_thread,
            {{.native = true}, {.invocation = ewyk::invocation_t::non_blocking}}, {completer, {{run}}}, in_place);
        reactor.add("a native handler dispatches a task that keeps the right", s, one_thread,
            {{.then = 2, .native = true}, {.invocation = ewyk::invocation_t::non_blocking}},
            {{{complete, 1}, {release_work}}, {{run}}}, in_place);
        reactor.add("a native handler dispatches two tasks", s, one_thread,
            {{.then = 2, .native = true}, {.then = 3}, {}}, {{{complete, 1}, {release_work}}, {{run}}}, in_place);
        reactor.add("run_for(), then run(), a native handler", s, one_thread, {{.posts = 2, .native = true}, {}},
            {{{complete, 1}, {release_work}}, {{run_for}, {run}}}, grace);
        setup own_queues = in_place;
        own_queues.own_queues = true;
        std::vector<task_kind> const another{{}, {.completes = 3}, {}};
        reactor.add("a completion completes another operation, in place", s, one_thread, another,
            {completer, {{run}}}, own_queues);
        reactor.add("a completion completes another operation and throws, in place", s, one_thread,
            {{}, {.throws = true, .completes = 3}, {}}, {completer, {{run}}}, own_queues);
        if (one_is_enough)
            reactor.add("run_for(), then run(), a completion completes another operation, in place", s,
                one_thread, another, {completer, {{run_for}, {run}}}, own_queues);
        if (one_is_enough)
            reactor.add("a completion waits for another one, in place", s, one_thread, waits,
                {completer, {{run}}}, in_place);
        for (auto&& n : reactor.take())
            all.push_back(std::move(n));
    }
    return all;
}

/// The pool keeps one thread for tasks.
inline std::vector<named_setup> place_models()
{
    using enum action::kind_type;
    std::vector<named_setup> all;
    std::vector<task_kind> const waits{{.waits_for = 2}, {}};
    for (auto s : {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill})
        for (bool grace : {false, true})
        {
            std::string const with = grace ? ", places, with grace" : ", places";
            setup const places{.grace = grace, .places = true};
            collection reactor;
            std::vector<action> const poster{{post, 1}, {post, 2}, {release_work}};
            reactor.add("run()" + with, s, one_thread, {{}, {}}, {poster, {{run}}}, places);
            reactor.add("a task waits for another one" + with, s, two_threads, waits, {poster, {{run}}},
                places);
            reactor.add("run(), stop()" + with, s, two_threads, {{}}, {{{post, 1}, {stop}}, {{run}}},
                {.grace = grace, .places = true, .tasks_may_be_left = true});
            if (grace)
                reactor.add("completions in place" + with, s, two_threads, {{}, {}},
                    {{{complete, 1}, {complete, 2}, {release_work}}, {{run}}},
                    {.grace = true, .places = true, .in_place = true});
            for (auto&& n : reactor.take())
                all.push_back(std::move(n));
        }
    return all;
}

/// The reactor's sleep and the wake-ups.
inline std::vector<named_setup> reactor_models()
{
    using enum action::kind_type;
    collection c;
    for (auto s : strategies)
        for (auto pool : {stopped_pool, one_thread})
        {
            std::vector<std::vector<action>> const two_posters{
                {{post, 1}, {release_work}}, {{post, 2}, {release_work}}, {{run}}};
            std::vector<std::vector<action>> const a_completion{
                {{post, 1}, {complete, 2}, {release_work}}, {{run}}};
            c.add("two post", s, pool, {{}, {}}, two_posters);
            c.add("two post, with relaxed stores", s, pool, {{}, {}}, two_posters,
                {.weak_memory = true});
            c.add("one posts twice, with relaxed stores", s, pool, {{}, {}},
                {{{post, 1}, {post, 2}, {release_work}}, {{run}}}, {.weak_memory = true});
            c.add("a post and a completion", s, pool, {{}, {}}, a_completion);
            c.add("tasks throw", s, pool, {{.throws = true}, {.throws = true}}, a_completion);
            c.add("tasks that need not be handed over", s, pool,
                {{.invocation = ewyk::invocation_t::either},
                    {.invocation = ewyk::invocation_t::non_blocking}}, a_completion);
            c.add("a task posts a task", s, pool, {{.posts = 2}, {}},
                {{{post, 1}, {release_work}}, {{run}}});

            // By threads that run the io_context itself.
            c.add("run by one foreign thread", s, pool, {{}, {}},
                {{{post, 1}, {post, 2}, {release_work}}, {{plain_run}}});
            c.add("run by two foreign threads", s, pool, {{.posts = 2}, {}},
                {{{post, 1}, {release_work}}, {{plain_run}}, {{plain_run}}});
            c.add("run by a foreign thread, tasks throw", s, pool,
                {{.throws = true}, {.throws = true}},
                {{{post, 1}, {post, 2}, {release_work}}, {{plain_run}}});
            c.add("run by a foreign thread and run()", s, pool, {{}},
                {{{post, 1}, {release_work}}, {{plain_run}}, {{run}}});
            if (s != ewyk::strategy_t::produce_consume
                && s != ewyk::strategy_t::produce_execute_consume)
                c.add("run by two foreign threads, a task waits for another one", s, pool,
                    {{.waits_for = 2}, {}},
                    {{{post, 1}, {post, 2}, {release_work}}, {{plain_run}}, {{plain_run}}});
        }
    return c.take();
}

/// The callers of run() and its siblings: parking, leaving, stop.
inline std::vector<named_setup> run_models()
{
    using enum action::kind_type;
    collection c;
    for (auto s : strategies)
    {
        bool const serial = s == ewyk::strategy_t::produce_consume;
        for (auto pool : {stopped_pool, one_thread})
        {
            if (serial && pool.parked != 0)
                continue; // it does not use them
            bool const with_pool = pool.parked != 0;
            std::vector<action> const poster{{post, 1}, {release_work}};
            c.add("two run()", s, pool, {{}}, {poster, {{run}}, {{run}}});
            c.add("run_for(), then run()", s, pool, {{.posts = 2}, {}}, {poster, {{run_for}, {run}}});
            c.add("run(), stop()", s, pool, {{}, {}}, {{{post, 1}, {post, 2}, {stop}}, {{run}}},
                {.tasks_may_be_left = true});
            c.add("stop() of a task that posts itself, after a restart()", s, pool,
                {{.again = true}}, {{{post, 1}, {stop}}, {{run}}},
                {.tasks_may_be_left = true, .stale_stop = true});
            // In these the two strategies that hand over differ in a single step.
            if (with_pool && s == ewyk::strategy_t::execute_produce_consume)
                continue;
            c.add("two run(), the task throws", s, pool, {{.throws = true}},
                {poster, {{run}}, {{run}}});
            c.add("run() and run_one()", s, pool, {{}}, {poster, {{run_one_loop}}, {{run}}});
            c.add("two run_one()", s, pool, {{}}, {poster, {{run_one_loop}}, {{run_one_loop}}});
            c.add("run_for() beside run()", s, pool, {{}}, {poster, {{run_for}}, {{run}}});
            c.add("two run(), stop()", s, pool, {{}}, {{{post, 1}, {stop}}, {{run}}, {{run}}},
                {.tasks_may_be_left = true});
        }
        if (serial)
            continue;
        std::vector<action> const poster{{post, 1}, {post, 2}, {release_work}};
        std::vector<task_kind> const waits{{.waits_for = 2}, {}};
        // A thread that leaves has something to do that the other one's run() waits for.
        c.add("run_for(), then the end of work, beside run()", s, one_thread, {{}},
            {{{post, 1}, {run_for}, {release_work}}, {{run}}});
        c.add("run_for() beside run_one()", s, one_thread, {{}},
            {{{post, 1}, {release_work}}, {{run_one_loop}}, {{run_for}}});
        c.add("two run(), a task waits for another one", s, one_thread, waits,
            {poster, {{run}}, {{run}}});
        if (s == ewyk::strategy_t::produce_execute_consume)
            continue;
        c.add("two run_one(), a task waits for another one", s, stopped_pool, waits,
            {poster, {{run_one_loop}}, {{run_one_loop}}});
        c.add("run_one() once beside run(), a task waits for another one", s, one_thread,
            {{}, {.waits_for = 3}, {.invocation = ewyk::invocation_t::non_blocking}},
            {{{post, 1}, {post, 2}, {post, 3}, {release_work}, {run_one}}, {{run}}});
        if (s == ewyk::strategy_t::eat_what_you_kill)
            c.add("run() and run_one(), a task waits for another one", s, one_thread, waits,
                {poster, {{run_one_loop}}, {{run}}});
    }
    return c.take();
}

inline std::vector<named_setup> all_models()
{
    std::vector<named_setup> all = run_models();
    for (auto&& more : {grace_models(), reactor_models()})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

}

#endif
