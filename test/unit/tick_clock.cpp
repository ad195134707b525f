// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The clock that costs less than the steady one says the same as that.

#include "support.hpp"

#include <asio_ewyk/detail/os/tick_clock.hpp>

#include <chrono>
#include <thread>

BOOST_AUTO_TEST_SUITE(tick_clock)

using namespace support;
using ewyk::detail::tick_clock;
using steady = std::chrono::steady_clock;

// Between two readings of each clock, one around the other, however late this thread is.
BOOST_AUTO_TEST_CASE(agrees_with_the_steady_clock)
{
    (void)tick_clock::now(); // from here on, ticks are counted
    auto const before = steady::now();
    auto const begin = tick_clock::now();
    auto const after_begin = steady::now();
    std::this_thread::sleep_for(20ms);
    auto const before_end = steady::now();
    auto const end = tick_clock::now();
    auto const after = steady::now();

    auto const time = tick_clock::scale()(end - begin);
    BOOST_TEST((time >= (before_end - after_begin) * 99 / 100));
    BOOST_TEST((time <= (after - before) * 101 / 100));
}

BOOST_AUTO_TEST_CASE(has_no_negative_times)
{
    BOOST_TEST((tick_clock::scale()(-1) == 0ns));
    BOOST_TEST((tick_clock::scale()(0) == 0ns));
}

// A thread that is told of a moment finds that it has passed.
BOOST_AUTO_TEST_CASE(is_the_same_for_all_threads)
{
    tick_clock::ticks last = tick_clock::now();
    for (int i = 0; i != 20; ++i)
        std::thread([&] {
            tick_clock::ticks const now = tick_clock::now();
            LOCKED_TEST((tick_clock::scale()(last - now) < 1ms));
            last = now;
        }).join();
}

BOOST_AUTO_TEST_SUITE_END()
