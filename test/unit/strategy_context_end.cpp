// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// How run() ends: what the program destroys afterwards is used by no handler any more.

#include "pool_support.hpp"

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

BOOST_AUTO_TEST_SUITE_END()
