// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// poll() beside threads of the pool that have the right to produce.

#include "pool_support.hpp"

BOOST_AUTO_TEST_SUITE(strategy_context_poll)

namespace {

using namespace support;

// It waits for a thread that produces to leave, but not for a handler that this one runs in place.
BOOST_AUTO_TEST_CASE(returns_while_a_handler_blocks_production)
{
    event running;
    event release;
    ewyk::strategy_context ctx({.max_threads = 2});
    asio::steady_timer timer(asio::require(ctx.get_executor(), ewyk::invocation.non_blocking), 1ms);
    timer.async_wait([&](auto) {
        running.set();
        release.wait();
    });
    std::thread caller([&] { ctx.run(); });
    BOOST_TEST(running.wait());
    BOOST_TEST(ctx.poll() == 0u);
    BOOST_TEST(ctx.poll_one() == 0u);
    release.set();
    caller.join();
}

// As with an io_context: what is ready runs, long before the grace is over.
void runs_what_a_handler_waits_for(ewyk::strategy_t s, bool one, bool native)
{
    event running;
    event release;
    ewyk::strategy_context ctx({.strategy = s, .grace = 1h, .max_threads = 2});
    auto const block = [&] {
        running.set();
        release.wait();
    };
    if (native)
        asio::post(static_cast<asio::io_context&>(ctx), block);
    else
        asio::post(ctx, block);
    std::thread caller([&] { ctx.run(); });
    BOOST_TEST(running.wait());
    asio::post(ctx, [&] { release.set(); });
    std::size_t ran = 0;
    BOOST_TEST(eventually([&] { return (ran += one ? ctx.poll_one() : ctx.poll()) != 0; }));
    caller.join();
    BOOST_TEST(ran == 1u);
}

BOOST_AUTO_TEST_CASE(runs_beside_a_handler)
{
    for (auto s : {ewyk::strategy_t::eat_what_you_kill, ewyk::strategy_t::execute_produce_consume})
        for (bool one : {false, true})
            for (bool native : {false, true})
                runs_what_a_handler_waits_for(s, one, native);
}

// One at a time: nothing runs beside the handler.
BOOST_AUTO_TEST_CASE(returns_beside_a_handler_of_produce_consume)
{
    event running;
    event release;
    ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
    asio::post(ctx, [&] {
        running.set();
        release.wait();
    });
    std::thread caller([&] { ctx.run(); });
    BOOST_TEST(running.wait());
    asio::post(ctx, [] {});
    BOOST_TEST(ctx.poll() == 0u);
    release.set();
    caller.join();
}

} // namespace

namespace {

/// What run() returns for two handlers, where one calls another, which throws; 0 if another thread
/// has taken that.
std::size_t run_beside_an_inner_call_that_throws(ewyk::strategy_t k)
{
    ewyk::strategy_context ctx(k, {.max_threads = 2});
    deadline const d(ctx);
    bool thrown = false;
    asio::post(ctx, [&] {
        std::thread([&] { ctx.poll(); }).join(); // and wakes the thread inside run()
        asio::post(ctx, [&] {
            asio::post(ctx, [] { throw 1; });
            try
            {
                ctx.poll();
            }
            catch (int)
            {
                thrown = true;
            }
        });
    });
    try
    {
        std::size_t const n = ctx.run();
        return thrown ? n : 0;
    }
    catch (int)
    {
        return 0;
    }
}

} // namespace

// What the library runs of its own before is not counted either.
BOOST_AUTO_TEST_CASE(a_handler_whose_inner_call_throws_is_counted_once)
{
    for (auto const k : {ewyk::strategy.execute_produce_consume, ewyk::strategy.eat_what_you_kill})
    {
        std::size_t n = 0;
        BOOST_TEST(eventually([&] {
            return (n = run_beside_an_inner_call_that_throws(k)) != 0;
        }));
        BOOST_TEST(n == 2u);
    }
}

BOOST_AUTO_TEST_SUITE_END()
