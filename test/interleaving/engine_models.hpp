// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The models that are explored: which threads call the engine, with which tasks, strategies and
// pools.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_ENGINE_MODELS_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_ENGINE_MODELS_HPP

#include "engine_scenario.hpp"

#include <ostream>

namespace interleaving {

struct named_setup
{
    std::string name;
    setup what;

    friend std::ostream& operator<<(std::ostream& os, named_setup const& n) { return os << n.name; }
};

/// How many threads of the pool there are.
struct pool_size
{
    char const* name;
    std::size_t parked;
    std::size_t startable;
};

inline constexpr pool_size stopped_pool{"a stopped pool", 0, 0};
inline constexpr pool_size cold_pool{"a thread not started", 0, 1};
inline constexpr pool_size cold_pool_of_two{"2 threads not started", 0, 2};
inline constexpr pool_size one_thread{"1 thread", 1, 0};
inline constexpr pool_size two_threads{"2 threads", 2, 0};
inline constexpr pool_size three_threads{"3 threads", 3, 0};

inline std::vector<task_kind> all_kinds(task_kind like = {})
{
    std::vector<task_kind> kinds(3, like);
    kinds[1].invocation = ewyk::invocation_t::either;
    kinds[2].invocation = ewyk::invocation_t::non_blocking;
    return kinds;
}

class collection
{
public:
    void add(std::string name, ewyk::strategy_t s, pool_size pool, std::vector<task_kind> tasks,
        std::vector<std::vector<action>> callers, setup more = {})
    {
        more.strategy = s;
        more.parked = pool.parked;
        more.startable = pool.startable;
        more.tasks = std::move(tasks);
        more.callers = std::move(callers);
        models_.push_back({std::string(to_string(s)) + ", " + pool.name + ": " + std::move(name),
            std::move(more)});
    }

    std::vector<named_setup> take() { return std::move(models_); }

private:
    std::vector<named_setup> models_;
};

/// Tasks are handed over, given away or run in place, and nothing is leased.
inline std::vector<named_setup> strategy_models()
{
    using enum action::kind_type;
    collection c;
    for (auto s : {ewyk::strategy_t::produce_consume, ewyk::strategy_t::produce_execute_consume,
             ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill})
    {
        std::vector<std::vector<action>> const two_produce{
            {{supply, 1}, {supply, 3}, {produce}}, {{supply, 2}, {produce}}};
        // Without a thread there is none to dispatch to.
        c.add("three produce", s, stopped_pool, all_kinds(),
            {{{supply, 1}, {produce}}, {{supply, 2}, {produce}}, {{supply, 3}, {produce}}});
        c.add("two produce, one dispatches in vain", s, stopped_pool, {{}, {}},
            {{{supply, 1}, {produce}}, {{supply, 2}, {produce}}, {{dispatch}}});
        for (auto pool : {cold_pool, one_thread})
        {
            c.add("two produce, one dispatches", s, pool, all_kinds(),
                {{{supply, 1}, {produce}}, {{supply, 2}, {produce}}, {{supply, 3}, {dispatch}}});
            c.add("one produces, one dispatches", s, pool, all_kinds(),
                {{{supply, 1}, {supply, 3}, {produce}}, {{supply, 2}, {dispatch}}});
            c.add("a caller that must not block", s, pool, all_kinds(), two_produce,
                {.nonblocking_callers = 1});
            c.add("tasks throw", s, pool, all_kinds({.throws = true}), two_produce);
            c.add("tasks produce", s, pool, all_kinds({.produces = true}), two_produce);
            c.add("a task supplies a task and produces", s, pool,
                {{.supplies = 2, .produces = true}, {}}, {{{supply, 1}, {produce}}});
            c.add("tasks produce and throw", s, pool,
                all_kinds({.throws = true, .produces = true}),
                {{{supply, 1}, {supply, 3}, {produce}}, {{supply, 2}, {dispatch}}});
        }
        c.add("two produce", s, two_threads, all_kinds(), two_produce);
        c.add("two produce", s, cold_pool_of_two, {{}, {}},
            {{{supply, 1}, {produce}}, {{supply, 2}, {produce}}});
        c.add("tasks throw", s, two_threads, all_kinds({.throws = true}),
            {{{supply, 1}, {produce}}, {{supply, 2}, {supply, 3}, {dispatch}}});
        // A thread that produces consumes as well, or is the only one that can: while a task waits
        // for another one, there must be a thread left that runs that.
        if (s == ewyk::strategy_t::produce_consume)
            continue;
        c.add("a task waits for another one", s, two_threads, {{.waits_for = 2}, {}},
            {{{supply, 1}, {produce}}, {{supply, 2}, {produce}}});
        c.add("a task waits for another one, dispatched", s, two_threads, {{.waits_for = 2}, {}},
            {{{supply, 1}, {supply, 2}, {dispatch}}});
    }
    return c.take();
}

/// The right is leased while a task runs, and taken over if that is late.
inline std::vector<named_setup> grace_models()
{
    using enum action::kind_type;
    collection c;
    for (auto s : {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill})
    {
        setup const grace{.grace = true};
        setup const endless{.grace = true, .endless = true};
        setup const two_watch{.grace = true, .two_watch = true};
        std::vector<task_kind> const waits{{.waits_for = 2}, {}};
        std::vector<task_kind> const says_so{{.waits_for = 2, .says_so = true}, {}};
        std::vector<std::vector<action>> const two_produce{
            {{supply, 1}, {produce}}, {{supply, 2}, {produce}}};
        std::vector<std::vector<action>> const one_produces{{{supply, 1}, {supply, 2}, {produce}}};
        std::vector<std::vector<action>> const dispatched{{{supply, 1}, {supply, 2}, {dispatch}}};
        for (auto pool : {one_thread, two_threads})
        {
            c.add("two produce, with grace", s, pool, {{}, {}}, two_produce, grace);
            c.add("one produces, with grace", s, pool, all_kinds(),
                {{{supply, 1}, {supply, 2}, {supply, 3}, {produce}}}, grace);
            c.add("one produces, one dispatches, with grace", s, pool, {{}, {}},
                {{{supply, 1}, {produce}}, {{supply, 2}, {dispatch}}}, grace);
            c.add("tasks throw, with grace", s, pool, {{.throws = true}, {.throws = true}},
                one_produces, grace);
            c.add("tasks produce, with grace", s, pool, {{.produces = true}, {.produces = true}},
                one_produces, grace);
            c.add("tasks say that they block, and throw", s, pool,
                {{.throws = true, .says_so = true}, {.throws = true, .says_so = true}},
                one_produces, grace);
        }
        // With one thread in the pool eat_what_you_kill keeps that for tasks.
        bool const one_is_enough = s == ewyk::strategy_t::execute_produce_consume;
        for (auto pool : {one_thread, two_threads})
        {
            if (!one_is_enough && pool.parked == 1)
                continue;
            c.add("a task waits for another one, with grace", s, pool, waits, one_produces, grace);
            c.add("two produce, a task waits for another one, with grace", s, pool, waits,
                two_produce, grace);
            c.add("a task says that it waits for another one", s, pool, says_so, one_produces,
                endless);
        }
        c.add("a task waits for the next one but one, with grace", s, two_threads,
            {{}, {.waits_for = 3}, {}}, {{{supply, 1}, {supply, 2}, {supply, 3}, {produce}}},
            grace);
        c.add("a task waits for another one, dispatched, with grace", s, two_threads, waits,
            dispatched, grace);
        // Two of the pool's may produce, so that one can take over from the other.
        c.add("a task waits for another one, dispatched, with grace", s, three_threads, waits,
            dispatched, grace);
        // A thread has to be started, which takes two that watch.
        auto const cold = one_is_enough ? cold_pool : cold_pool_of_two;
        c.add("two produce, two watch", s, cold, {{}, {}}, two_produce, two_watch);
        c.add("tasks throw, two watch", s, cold, {{.throws = true}, {.throws = true}}, one_produces,
            two_watch);
        c.add("a task waits for another one, two watch", s, cold, waits, one_produces, two_watch);
    }
    // A lease is taken over although no thread can be had.
    c.add("one produces, with grace", ewyk::strategy_t::execute_produce_consume, stopped_pool,
        {{}, {}}, {{{supply, 1}, {supply, 2}, {produce}}}, {.grace = true});
    return c.take();
}

inline std::vector<named_setup> all_models()
{
    auto all = strategy_models();
    for (auto& more : grace_models())
        all.push_back(std::move(more));
    return all;
}

}

#endif
