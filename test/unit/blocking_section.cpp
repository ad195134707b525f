// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A task that says that it is going to block is relieved. The grace is endless here: it is not
// late otherwise.

#include <asio_ewyk/blocking_section.hpp>

#include "pool_support.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(blocking_section)

namespace {

using namespace support;

constexpr ewyk::strategy_t leasing[]
    = {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill};

constexpr auto endless = 24h;

ewyk::strategy_options leasing_options(ewyk::strategy_t s)
{
    return {.strategy = s, .grace = endless, .max_threads = 4};
}

BOOST_DATA_TEST_CASE(others_run_from_there_on, leasing, s)
{
    constexpr int rounds = 200;
    ewyk::worker_pool pool({.max_threads = 4});
    ewyk::strategy_context ctx(pool, s, endless);
    deadline const d(ctx);
    BOOST_TEST_REQUIRE(warm_up(pool, 4));
    int waited = 0;
    std::function<void()> round = [&] {
        event ran;
        asio::post(ctx, [&] { ran.set(); });
        ewyk::blocking_section const blocks;
        waited += ran.wait();
        if (waited < rounds)
            asio::post(ctx, round);
    };
    asio::post(ctx, round);
    ctx.run();
    BOOST_TEST(waited == rounds);

    // The pool counts none of those threads as producing still: another context finds one that
    // is parked, and so runs all of its tasks on one thread.
    BOOST_TEST(eventually([&] { return pool.parked_threads() == 4; }));
    ewyk::strategy_context other(pool, s, endless);
    std::set<std::thread::id> threads;
    for (int i = 0; i != 100; ++i)
        asio::post(other, [&] { threads.insert(std::this_thread::get_id()); });
    other.run();
    BOOST_TEST(threads.size() == 1u);
}

// A task's own destructor is a part of it.
BOOST_DATA_TEST_CASE(others_run_while_a_task_is_destroyed, leasing, s)
{
    struct blocks_at_its_end
    {
        event& ran;
        bool& waited;
        ~blocks_at_its_end()
        {
            ewyk::blocking_section const blocks;
            waited = ran.wait();
        }
    };
    source tasks;
    event ran;
    bool waited = false;
    ewyk::worker_pool pool({.max_threads = 4});
    BOOST_TEST_REQUIRE(warm_up(pool, 4));
    {
        ewyk::execution_strategy frames(tasks, pool, s, endless);
        std::shared_ptr<blocks_at_its_end> b(new blocks_at_its_end{ran, waited});
        tasks.add({[b = std::move(b)] {}, ewyk::invocation_t::blocking});
        tasks.add({[&] { ran.set(); }, ewyk::invocation_t::blocking});
        frames.produce();
    }
    BOOST_TEST(waited);
}

// A task that runs the context itself is not going to be short.
BOOST_DATA_TEST_CASE(a_task_may_run_its_own_context, leasing, s)
{
    ewyk::strategy_context ctx(leasing_options(s));
    deadline const d(ctx);
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
    std::atomic<int> ran{0};
    asio::post(ctx, [&] {
        asio::post(ctx, [&] { ++ran; });
        while (ran == 0 && !ctx.stopped())
            ctx.run_one_for(1ms);
    });
    ctx.run();
    BOOST_TEST(ran == 1);
}

// Of whichever thread: a caller's, or one of the pool that took over before.
BOOST_DATA_TEST_CASE(each_of_several_is_relieved, leasing, s)
{
    event release;
    gathering blocked;
    ewyk::strategy_context ctx(leasing_options(s));
    auto const work = asio::make_work_guard(ctx);
    deadline const d(ctx);
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
    std::thread caller([&] { ctx.run(); });
    // A thread of the four is left to produce.
    for (int i = 0; i != 3; ++i)
        asio::post(ctx, [&] {
            ewyk::blocking_section const outer;
            ewyk::blocking_section const inner;
            blocked.arrive();
            release.wait();
        });
    BOOST_TEST(blocked.wait_for(3));
    release.set();
    ctx.stop();
    caller.join();
}

BOOST_DATA_TEST_CASE(an_io_operation_completes_meanwhile, leasing, s)
{
    event fired;
    ewyk::strategy_context ctx(leasing_options(s));
    deadline const d(ctx);
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
    asio::steady_timer timer(ctx, 5ms);
    timer.async_wait([&](auto) { fired.set(); });
    bool waited = false;
    asio::post(ctx, [&] {
        ewyk::blocking_section const blocks;
        waited = fired.wait();
    });
    ctx.run();
    BOOST_TEST(waited);
}

// It stops both contexts that it runs in.
BOOST_DATA_TEST_CASE(contexts_inside_of_each_other_are_both_relieved, leasing, s)
{
    ewyk::strategy_context outer(leasing_options(s));
    ewyk::strategy_context inner(leasing_options(s));
    deadline const of_outer(outer);
    deadline const of_inner(inner);
    BOOST_TEST_REQUIRE(warm_up(outer.pool(), 4));
    BOOST_TEST_REQUIRE(warm_up(inner.pool(), 4));
    bool waited = false;
    asio::post(outer, [&] {
        asio::post(inner, [&] {
            event in_outer;
            event in_inner;
            asio::post(outer, [&] { in_outer.set(); });
            asio::post(inner, [&] { in_inner.set(); });
            ewyk::blocking_section const blocks;
            waited = in_outer.wait() && in_inner.wait();
        });
        inner.run();
    });
    outer.run();
    BOOST_TEST(waited);
}

BOOST_DATA_TEST_CASE(production_goes_on_after_an_exception, leasing, s)
{
    constexpr int many = 30;
    std::atomic<int> caught{0};
    std::atomic<int> ran{0};
    ewyk::strategy_options o = leasing_options(s);
    o.on_exception = [&](std::exception_ptr) { ++caught; };
    ewyk::strategy_context ctx(o);
    deadline const d(ctx);
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
    for (int i = 0; i != many; ++i)
        asio::post(ctx, [&] {
            ++ran;
            ewyk::blocking_section const blocks;
            throw std::runtime_error("as planned");
        });
    run_and_count(ctx, caught);
    BOOST_TEST(ran == many);
    BOOST_TEST(eventually([&] { return caught == many; }));
}

// Never do two produce, whichever is relieved and comes back when.
BOOST_DATA_TEST_CASE(one_produces, leasing, s)
{
    constexpr std::size_t threads = 4;
    constexpr std::size_t many = 1000;
    source tasks;
    gathering ran;
    ewyk::worker_pool pool({.max_threads = threads});
    BOOST_TEST_REQUIRE(warm_up(pool, threads));
    {
        ewyk::execution_strategy frames(tasks, pool, s, endless);
        for (std::size_t i = 0; i != many; ++i)
            tasks.add({[&, i] {
                           std::optional<ewyk::blocking_section> blocks;
                           if (i % 3 != 0)
                               blocks.emplace();
                           if (i % 7 == 0)
                               std::this_thread::yield();
                           ran.arrive();
                       },
                i % 2 == 0 ? ewyk::invocation_t::either : ewyk::invocation_t::blocking});
        frames.produce();
        BOOST_TEST(ran.wait_for(many));
    }
    BOOST_TEST(!tasks.two_at_once());
}

// Without a grace, in a task that is never handed over, in a pool's, in none. With produce_consume
// others run inside of it, and none after it. Where there are several callers the first one may
// have the right, and another one become the owner before it: then both run handlers for a moment.
CONTEXT_TEST_CASE(has_no_effect_elsewhere, s)
{
    context ctx(where_nothing_is_late(s));
    auto const no_block = asio::require(ctx.get_executor(), ewyk::invocation.non_blocking);
    std::atomic<int> ran{0};
    overlap inside;
    overlap after;
    auto const task = [&] {
        {
            ewyk::blocking_section const blocks;
            inside.enter();
            ++ran;
            inside.leave();
        }
        after.enter();
        after.leave();
    };
    task();
    for (int i = 0; i != 100; ++i)
        asio::post(no_block, task);
    run(ctx);
    bool const one = s.strategy == ewyk::strategy_t::eat_what_you_kill && s.callers == 1;
    if (one)
        BOOST_TEST(!inside.seen());
    if (s.serial || one)
        BOOST_TEST(!after.seen());
    ewyk::worker_pool pool({.max_threads = 1});
    asio::post(pool, task);
    pool.wait();
    BOOST_TEST(ran == 102);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
