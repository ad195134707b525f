// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// How run() ends: what the program destroys afterwards is used by no handler any more.

#include "pool_support.hpp"

#include <set>

BOOST_AUTO_TEST_SUITE(strategy_context_end)

namespace {

using namespace support;

} // namespace

BOOST_AUTO_TEST_CASE(the_last_run_waits_for_handlers_after_stop)
{
    for (bool const in_place : {false, true})
    {
        event release;
        event running;
        event inside;
        std::atomic<int> over{0};
        ewyk::strategy_context ctx({.max_threads = 2});
        auto const work = asio::make_work_guard(ctx);
        deadline const d(ctx);
        BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 2));
        std::thread caller([&] {
            ctx.run();
            BOOST_TEST(over == 2);
        });
        asio::post(ctx, [&] {
            running.set();
            release.wait();
            ++over;
        });
        BOOST_TEST(running.wait());
        auto const ex = asio::require(ctx.get_executor(),
            in_place ? ewyk::invocation_t::non_blocking : ewyk::invocation_t::blocking);
        asio::steady_timer timer(ex, 1ms);
        timer.async_wait([&](auto) {
            inside.set();
            release.wait();
            ++over;
        });
        BOOST_TEST(inside.wait());
        ctx.stop();
        release.set();
        caller.join();
    }
}

// What the pool had no time for as run_for() ended, and does not take again, the next calls run. A
// caller that is late would run one of them in run_for() already.
BOOST_AUTO_TEST_CASE(each_exception_of_what_was_recalled_leaves_a_call)
{
    constexpr int tasks = 4;
    for (std::size_t const callers : {1u, 3u})
    {
        event busy, release;
        ewyk::worker_pool pool({.max_threads = 1});
        ewyk::strategy_context ctx(pool, ewyk::strategy.produce_execute_consume, 24h);
        deadline const d(ctx);
        pool.execute([&] {
            busy.set();
            release.wait();
        });
        BOOST_TEST(busy.wait());
        for (int i = 0; i != tasks; ++i)
            asio::post(ctx, [i] { throw std::runtime_error(std::to_string(i)); });
        ctx.run_for(1ms);
        pool.stop();
        release.set();
        ctx.restart();
        std::mutex mutex;
        std::set<std::string> thrown; // guarded by mutex
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i != callers; ++i)
            threads.emplace_back([&] {
                for (bool over = false; !over;)
                    try
                    {
                        ctx.run();
                        over = true;
                    }
                    catch (std::runtime_error const& e)
                    {
                        std::lock_guard const lock(mutex);
                        thrown.insert(e.what());
                    }
            });
        for (std::thread& t : threads)
            t.join();
        BOOST_TEST(thrown.size() == tasks);
        BOOST_TEST(ctx.metrics().exceptions == tasks);
    }
}

// Recalled tasks are handlers like any other.
BOOST_AUTO_TEST_CASE(what_was_recalled_runs_inside_the_context)
{
    event busy, release;
    ewyk::worker_pool pool({.max_threads = 1});
    ewyk::strategy_context ctx(pool, ewyk::strategy.produce_execute_consume);
    deadline const d(ctx);
    pool.execute([&] {
        busy.set();
        release.wait();
    });
    BOOST_TEST(busy.wait());
    bool inside = false;
    bool at_once = false;
    asio::post(ctx, [&] {
        inside = ctx.get_executor().running_in_this_thread();
        asio::dispatch(ctx, [&] { at_once = true; });
        BOOST_TEST(at_once);
        // Counts as thrown where it leaves a call that is not inside a handler.
        asio::post(ctx.asio::io_context::get_executor(), [] { throw std::runtime_error("inner"); });
        BOOST_CHECK_THROW(ctx.poll(), std::runtime_error);
    });
    ctx.run_for(1ms);
    pool.stop();
    release.set();
    ctx.restart();
    ctx.run();
    BOOST_TEST(inside);
    BOOST_TEST(ctx.metrics().exceptions == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
