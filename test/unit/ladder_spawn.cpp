// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// With produce_consume, a blocking_section on the stack of a stackful coroutine. See ladder.cpp.

#include <asio_ewyk/blocking_section.hpp>

#include "support.hpp"

#include <boost/asio/spawn.hpp>

#include <optional>

BOOST_AUTO_TEST_SUITE(ladder_spawn)

namespace {

using namespace support;

void run_coroutines(bool native, bool spans)
{
    ewyk::strategy_context ctx(ewyk::strategy_t::produce_consume);
    deadline const d(ctx);
    asio::io_context& base = ctx;
    overlap serial;
    int shared = 0;
    auto const body = [&](asio::yield_context yield) {
        asio::steady_timer timer(ctx);
        for (int i = 0; i != 50; ++i)
        {
            serial.enter();
            ++shared;
            serial.leave();
            std::optional<ewyk::blocking_section> section(std::in_place);
            std::this_thread::yield();
            if (!spans)
                section.reset();
            timer.expires_after(0ms);
            timer.async_wait(yield);
            serial.enter();
            ++shared;
            serial.leave();
            section.reset();
            serial.enter();
            ++shared;
            serial.leave();
        }
    };
    for (int i = 0; i != 6; ++i)
        if (native)
            asio::spawn(base, body, asio::detached);
        else
            asio::spawn(ctx, body, asio::detached);
    ctx.run();
    BOOST_TEST(shared == 6 * 50 * 3);
    BOOST_TEST(!serial.seen());
}

BOOST_AUTO_TEST_CASE(stackful_coroutines_need_no_strand)
{
    run_coroutines(false, false);
    run_coroutines(true, false);
}

#if defined(NDEBUG)
// It is asserted that this does not happen.
BOOST_AUTO_TEST_CASE(a_section_that_a_coroutine_is_suspended_in_ends_there)
{
    run_coroutines(false, true);
}
#endif

} // namespace

BOOST_AUTO_TEST_SUITE_END()
