// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The models that are explored: which threads call the production_loop, with which tasks, strategies and
// pools.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_PRODUCTION_LOOP_MODELS_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_PRODUCTION_LOOP_MODELS_HPP

#include "../strategies.hpp"
#include "production_loop_scenario.hpp"

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
    for (auto const s : support::strategies())
    {
        std::vector<std::vector<action>> const two_produce{
            {{supply, 1}, {produce}}, {{supply, 2}, {produce}}};
        std::vector<std::vector<action>> const one_produces{{{supply, 1}, {supply, 2}, {produce}}};
        for (auto pool : {stopped_pool, cold_pool, one_thread})
        {
            // What they have to do is not too much to see all of it.
            if (s == ewyk::strategy_t::execute_produce_consume && pool.parked + pool.startable != 0)
                c.add("two produce", s, pool, {{}}, {{{supply, 1}, {produce}}, {{produce}}});
            else
                c.add("two produce", s, pool, {{}, {}}, two_produce);
            if (s == ewyk::strategy_t::eat_what_you_kill)
                c.add("one may not block", s, pool, {{}, {}}, two_produce,
                    {.nonblocking_callers = 1});
            c.add("all kinds", s, pool, all_kinds(),
                {{{supply, 1}, {supply, 2}, {supply, 3}, {produce}}});
            c.add("a task supplies a task and produces", s, pool,
                {{.supplies = 2, .produces = true}, {}}, {{{supply, 1}, {produce}}});
            // Without a thread there is none to dispatch to, nor one that goes on.
            if (pool.parked + pool.startable == 0)
                continue;
            c.add("tasks throw", s, pool, {{.throws = true}, {.throws = true}}, one_produces);
            if (pool.parked != 0)
                c.add("one produces, one dispatches", s, pool, {{}},
                    {{{produce}}, {{supply, 1}, {dispatch}}});
        }
        // A thread that produces consumes as well, or is the only one that can: while a task waits
        // for another one, there must be a thread left that runs that.
        if (s == ewyk::strategy_t::produce_consume)
            continue;
        c.add("a task waits for another one", s, two_threads, {{.waits_for = 2}, {}}, one_produces);
        c.add("a task waits for another one, dispatched", s, two_threads, {{.waits_for = 2}, {}},
            {{{supply, 1}, {supply, 2}, {dispatch}}});
    }
    return c.take();
}

/// A task runs on a lease, which is taken over if it is late.
inline std::vector<named_setup> grace_models()
{
    using enum action::kind_type;
    collection c;
    setup const grace{.grace = true};
    setup const endless{.grace = true, .endless = true};
    std::vector<task_kind> const waits{{.waits_for = 2}, {}};
    std::vector<task_kind> const says_so{{.waits_for = 2, .says_so = true}, {}};
    std::vector<std::vector<action>> const one_task{{{supply, 1}, {produce}}};
    std::vector<std::vector<action>> const one_produces{{{supply, 1}, {supply, 2}, {produce}}};
    auto s = ewyk::strategy_t::execute_produce_consume;
    c.add("one produces, with grace", s, one_thread, {{}, {}}, one_produces, grace);
    c.add("one produces, and it is taken over in haste", s, one_thread, {{}}, one_task,
        {.grace = true, .hasty = true});
    c.add("tasks throw, with grace", s, one_thread, {{.throws = true}, {.throws = true}},
        one_produces, grace);
    c.add("a task produces, with grace", s, one_thread, {{.produces = true}}, one_task, grace);
    c.add("a task waits for another one, with grace", s, one_thread, waits, one_produces, grace);
    c.add("a task says that it waits for another one", s, one_thread, says_so, one_produces,
        endless);
    c.add("tasks say that they block, and throw", s, one_thread,
        {{.throws = true, .says_so = true}, {.throws = true, .says_so = true}}, one_produces,
        endless);
    c.add("a task waits for another one, with grace", s, cold_pool, waits, one_produces, grace);
    // It keeps the last thread of the pool for tasks, so it takes one more.
    s = ewyk::strategy_t::eat_what_you_kill;
    c.add("one produces, with grace", s, two_threads, {{}}, one_task, grace);
    c.add("a task throws, with grace", s, two_threads, {{.throws = true}}, one_task, grace);
    c.add("a task says that it waits for another one", s, two_threads, says_so, one_produces,
        endless);
    c.add("a task waits for another one, with grace", s, two_threads, waits, one_produces, grace);
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
