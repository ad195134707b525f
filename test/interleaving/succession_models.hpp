// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The models that are explored: which threads run a context, with which handlers, strategies and
// pools.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_SUCCESSION_MODELS_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_SUCCESSION_MODELS_HPP

#include "succession_scenario.hpp"

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

class collection
{
public:
    void add(std::string name, ewyk::strategy_t s, pool_size pool,
        std::vector<handler_kind> handlers, setup more)
    {
        more.strategy = s;
        more.parked = pool.parked;
        more.startable = pool.startable;
        more.handlers = std::move(handlers);
        std::string const with = more.grace ? ", with grace" : "";
        models_.push_back({std::string(to_string(s)) + ", " + pool.name + ": " + std::move(name)
                + with,
            std::move(more)});
    }

    std::vector<named_setup> take() { return std::move(models_); }

private:
    std::vector<named_setup> models_;
};

/// Handlers run concurrently, and others take over from a thread that is late.
inline std::vector<named_setup> concurrent_models()
{
    collection c;
    handler_kind const either{.invocation = ewyk::invocation_t::either};
    handler_kind const non_blocking{.invocation = ewyk::invocation_t::non_blocking};
    handler_kind const thrower{.throws = true};
    std::vector<handler_kind> const waits{{.waits_for = 2}, {}};
    for (auto s : {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill})
    {
        bool const always = s == ewyk::strategy_t::execute_produce_consume;
        for (bool grace : {false, true})
        {
            for (auto pool : {stopped_pool, cold_pool, one_thread})
            {
                // A thread that is not started makes many more states of the same steps.
                bool const all = !grace || pool.startable == 0;
                c.add("one runs", s, pool, {{}, {}}, {.ready = 2, .grace = grace});
                c.add("a thread stops it", s, pool, {{}},
                    {.ready = 1, .grace = grace, .stops = true});
                if (!all)
                    continue;
                c.add("one runs, a thread posts", s, pool, {{}, {}},
                    {.posters = 1, .grace = grace});
                c.add("a handler posts", s, pool, {{.posts = 2}, {}},
                    {.ready = 1, .grace = grace});
                c.add("handlers throw", s, pool, {thrower, thrower},
                    {.ready = 2, .grace = grace});
                if (!always)
                    c.add("handlers that need not be handed over", s, pool, {either, non_blocking},
                        {.ready = 2, .grace = grace});
            }
            for (auto pool : {stopped_pool, one_thread})
            {
                // A mistake makes many more states of the same steps.
                c.add("two run", s, pool, {{}},
                    {.ready = 1,
                        .limits = {0, 0},
                        .grace = grace,
                        .mistakes = always && pool.parked == 0});
                if (always || pool.parked == 0)
                    c.add("one runs, one runs one", s, pool, {{}},
                        {.posters = 1, .limits = {0, 1}, .grace = grace, .mistakes = 0});
            }
            // With one thread in the pool the other strategy keeps that for tasks, but lends it.
            if (always || grace)
                c.add("a handler waits for another one", s, one_thread, waits,
                    {.ready = 2, .grace = grace});
        }
        c.add("two run", s, stopped_pool, {{}, {}}, {.ready = 2, .limits = {0, 0}});
        c.add("two run, a thread posts", s, stopped_pool, {{}, {}},
            {.posters = 1, .limits = {0, 0}});
        if (!always)
            c.add("two run, a handler waits for the next one but one", s, stopped_pool,
                {{}, {.waits_for = 3}, {.native = true}}, {.ready = 3, .limits = {0, 0}});
        c.add("two run, a thread stops it", s, stopped_pool, {{}},
            {.ready = 1, .limits = {0, 0}, .stops = true});
        c.add("a handler waits for another one", s, cold_pool_of_two, waits, {.ready = 2});
        c.add("one runs", s, two_threads, {{}, {}}, {.ready = 2});
        auto const enough = always ? one_thread : two_threads;
        c.add("a handler says that it waits for another one", s, enough,
            {{.waits_for = 2, .section = true}, {}},
            {.ready = 2, .grace = true, .endless = true});
        c.add("a handler waits for another one, and one comes by I/O", s, enough,
            {{.waits_for = 2}, {}, {}},
            {.ready = 2, .posters = 1, .io = true, .grace = true, .mistakes = 0});
        c.add("handlers are observed, and one waits for another one", s, one_thread, waits,
            {.ready = 2, .grace = true, .wraps = true});
        c.add("unobserved, and a handler waits for another one", s, one_thread, waits,
            {.ready = 2, .grace = true, .unobserved = true});
        // The watchdog calls the owner, in whose place one of the pool waits.
        c.add("the owner is called", s, enough, {{.waits_for = 2}, {}, {}},
            {.ready = 2, .posters = 1, .grace = true, .mistakes = 0, .calls = true});
        // A thread that has helped has another one come, where none has the right.
        c.add("a thread helps", s, two_threads, {{}, {}},
            {.ready = 2, .grace = true, .mistakes = 0, .helped = true});
        c.add("a thread helps, and a handler waits for another one", s, one_thread, waits,
            {.ready = 2, .grace = true, .mistakes = 0, .helped = true});
        c.add("a thread helps, and the owner runs handlers in one", s, one_thread, waits,
            {.ready = 2,
                .grace = true,
                .mistakes = 0,
                .asks = true,
                .helped = true,
                .counts = true});
        c.add("the owner runs handlers in one", s, one_thread, waits,
            {.ready = 2, .grace = true, .mistakes = 0, .asks = true, .counts = true});
    }
    // The pool may take a thread for a producer that is about to find that it is none.
    c.add("a handler waits for the one that it posts", ewyk::strategy_t::eat_what_you_kill,
        two_threads, {{}, {.posts = 3, .waits_for = 3}, {.native = true}}, {.ready = 2});
    // A request may be under way that was sent for an earlier one.
    c.add("a handler waits for the next one but one", ewyk::strategy_t::execute_produce_consume,
        one_thread, {{}, {.waits_for = 3}, {}}, {.ready = 3, .grace = true});
    // The other strategy has many more states of the same steps.
    c.add("no thread has been started", ewyk::strategy_t::execute_produce_consume, cold_pool,
        waits, {.ready = 2, .grace = true});
    // The owner takes the right back, and is late again.
    c.add("two handlers wait for another one", ewyk::strategy_t::execute_produce_consume,
        one_thread, {{.waits_for = 2}, {}, {.waits_for = 4}, {}},
        {.ready = 2, .posters = 1, .io = true, .grace = true, .mistakes = 0});
    // What the pool gives back the owner runs without the right.
    for (auto pool : {stopped_pool, one_thread, two_threads})
        c.add("a handler is for the pool, and one waits for another one",
            ewyk::strategy_t::eat_what_you_kill, pool,
            {{.for_pool = true}, {.waits_for = pool.parked == 2 ? 3u : 0u}, {}},
            {.ready = 2, .posters = 1, .grace = true, .mistakes = 0});
    c.add("two run, a handler is for the pool, and one waits for another one",
        ewyk::strategy_t::eat_what_you_kill, stopped_pool,
        {{.for_pool = true}, {.waits_for = 3}, {}},
        {.ready = 2, .posters = 1, .limits = {0, 0}, .grace = true, .mistakes = 0});
    c.add("a thread helps, and the owner runs a handler in one",
        ewyk::strategy_t::execute_produce_consume, one_thread, {{}},
        {.ready = 1, .grace = true, .asks = true, .helped = true, .counts = true});
    // The only thread of the pool is lent, and waits in place of the owner.
    c.add("the owner is called, as one is for the pool", ewyk::strategy_t::eat_what_you_kill,
        one_thread, {{.waits_for = 2}, {}, {.for_pool = true}},
        {.ready = 3, .grace = true, .mistakes = 0, .calls = true});
    c.add("nothing has done I/O", ewyk::strategy_t::execute_produce_consume, one_thread, waits,
        {.ready = 2, .grace = true, .asks = true});
    // The owner cannot have what is kept.
    c.add("a handler that need not be handed over runs meanwhile",
        ewyk::strategy_t::eat_what_you_kill, two_threads, {{.waits_for = 2}, non_blocking, {}},
        {.ready = 2, .posters = 1, .grace = true, .mistakes = 0});
    for (auto s : {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill})
    {
        c.add("two run, handlers throw", s, stopped_pool,
            {{.throws = true, .waits_for = 2}, thrower},
            {.ready = 2, .limits = {0, 0}, .grace = true, .mistakes = 0});
        c.add("two run, a thread stops it", s, one_thread, {{}},
            {.ready = 1, .limits = {0, 0}, .grace = true, .mistakes = 0, .stops = true});
    }
    // One of the callers takes over.
    c.add("two run, a handler waits for another one", ewyk::strategy_t::execute_produce_consume,
        stopped_pool, waits, {.ready = 2, .limits = {0, 0}, .grace = true, .mistakes = 0});
    return c.take();
}

/// One handler runs at a time, and others inside of sections.
inline std::vector<named_setup> exclusive_models()
{
    collection c;
    auto const s = ewyk::strategy_t::produce_consume;
    handler_kind const section{.section = true};
    handler_kind const thrower{.throws = true, .section = true};
    std::vector<handler_kind> const waits{{.waits_for = 2, .section = true}, {}};
    for (auto pool : {stopped_pool, cold_pool, one_thread})
    {
        c.add("one runs, a thread posts", s, pool, {{}, {}}, {.posters = 1});
        c.add("a handler has a section", s, pool, {section, {}}, {.ready = 2});
        c.add("two handlers have sections", s, pool, {section, section}, {.ready = 2});
        c.add("sections, and handlers throw", s, pool, {thrower, thrower}, {.ready = 2});
        c.add("a section, and a thread stops it", s, pool, {section, {}},
            {.ready = 2, .stops = true});
        if (pool.parked + pool.startable != 0)
            c.add("a section waits for another handler", s, pool, waits, {.ready = 2});
    }
    c.add("two run, a thread posts", s, stopped_pool, {{}, {}}, {.posters = 1, .limits = {0, 0}});
    c.add("one runs, one runs one", s, stopped_pool, {{}, {}},
        {.posters = 1, .limits = {0, 1}});
    c.add("two run, with a section", s, stopped_pool, {section, {}},
        {.ready = 2, .limits = {0, 0}});
    c.add("two run, with two sections", s, stopped_pool, {section, section},
        {.ready = 2, .limits = {0, 0}});
    c.add("two run, a section waits for another handler", s, stopped_pool, waits,
        {.ready = 2, .limits = {0, 0}});
    c.add("two run, with three sections", s, stopped_pool, {section, section, section},
        {.ready = 3, .limits = {0, 0}});
    c.add("three have sections", s, one_thread, {section, section, section}, {.ready = 3});
    // The owner has the right while one of the pool comes back.
    c.add("two have sections, a thread posts", s, one_thread, {section, section, {}},
        {.ready = 2, .posters = 1});
    c.add("two have sections", s, two_threads, {section, section}, {.ready = 2});
    // A thread has the lease in vain for one that comes back, which has had it meanwhile.
    c.add("one runs, one runs one, a section waits for another handler", s, stopped_pool,
        {section, {.waits_for = 3, .section = true}, {}}, {.ready = 3, .limits = {0, 1}});
    c.add("two run, with three sections, of which one waits", s, stopped_pool,
        {section, {.waits_for = 4, .section = true}, section, {}},
        {.ready = 4, .limits = {0, 0}});
    c.add("two run, with a section", s, one_thread, {section, {}},
        {.ready = 2, .limits = {0, 0}});
    c.add("two run, and a thread stops it", s, stopped_pool, {{}},
        {.ready = 1, .limits = {0, 0}, .stops = true});
    return c.take();
}

inline std::vector<named_setup> all_models()
{
    auto all = concurrent_models();
    for (auto& more : exclusive_models())
        all.push_back(std::move(more));
    return all;
}

}

#endif
