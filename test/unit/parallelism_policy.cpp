// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/engine/parallelism_policy.hpp>

#include "support.hpp"

BOOST_AUTO_TEST_SUITE(parallelism_policy)

namespace {

using namespace support;
using policy = ewyk::detail::parallelism_policy;

policy::window alone(std::size_t handlers, std::chrono::nanoseconds busy, std::size_t polls = 1000)
{
    return {10ms, handlers, polls, busy, busy};
}

policy::window together(std::size_t handlers, std::chrono::nanoseconds used)
{
    return {10ms, handlers, 1000, 10ms, used};
}

// Short handlers, so many in each window, which several threads run no faster.
void run_short_ones(policy& p, std::size_t handlers, int windows)
{
    for (int i = 0; i != windows; ++i)
        if (!p.alone_after(alone(handlers, 10ms)))
        {
            BOOST_TEST(!p.alone_after(together(handlers, 20ms)));
            BOOST_TEST(p.alone_after(together(handlers, 20ms)));
        }
}

// After so many windows tries are as seldom as they ever get, and the next one is far away.
constexpr int until_longest_pause = 100;

void run_together(policy& p, std::size_t handlers)
{
    BOOST_TEST(!p.alone_after(alone(handlers / 2, 10ms)));
    for (int i = 0; i != 10; ++i)
        BOOST_TEST(!p.alone_after(together(handlers, 20ms)));
}

} // namespace

BOOST_AUTO_TEST_CASE(one_thread_that_has_time_is_enough)
{
    policy p;
    for (int i = 0; i != 1000; ++i)
        BOOST_TEST(p.alone_after(alone(100, 8ms)));
}

BOOST_AUTO_TEST_CASE(several_while_they_get_more_done)
{
    policy p;
    bool one = p.alone_after(alone(100, 10ms));
    BOOST_TEST(!one);
    BOOST_TEST(!p.alone_after(together(100, 10ms))); // the threads wake up
    int windows = 0;
    for (int i = 0; i < 5000 || one; ++i)
    {
        one = p.alone_after(one ? alone(100, 10ms) : together(190, 20ms));
        windows += one;
    }
    // To compare.
    BOOST_TEST(windows > 5);
    BOOST_TEST(windows < 20);
    // The load falls.
    BOOST_TEST(p.alone_after(together(70, 7ms)));
    BOOST_TEST(p.alone_after(alone(70, 7ms)));
    // And rises.
    BOOST_TEST(!p.alone_after(alone(100, 10ms)));
}

BOOST_AUTO_TEST_CASE(one_window_that_was_better_is_not_enough)
{
    policy p;
    BOOST_TEST(!p.alone_after(alone(100, 10ms)));
    BOOST_TEST(!p.alone_after(together(100, 10ms)));
    BOOST_TEST(!p.alone_after(together(190, 10ms)));
    BOOST_TEST(p.alone_after(together(100, 10ms)));
}

BOOST_AUTO_TEST_CASE(does_not_stay_with_what_was_better_by_chance)
{
    policy p;
    BOOST_TEST(!p.alone_after(alone(100, 10ms)));
    BOOST_TEST(!p.alone_after(together(100, 10ms)));
    BOOST_TEST(!p.alone_after(together(190, 10ms)));
    BOOST_TEST(!p.alone_after(together(190, 10ms)));
    int windows = 0;
    while (!p.alone_after(together(100, 10ms)) && windows != 100)
        ++windows;
    BOOST_TEST(windows < 100);
    for (int i = 0; i != 3; ++i)
        BOOST_TEST(p.alone_after(alone(100, 10ms)));
}

BOOST_AUTO_TEST_CASE(tries_less_and_less_often_what_is_of_no_use)
{
    policy p;
    int tried = 0;
    for (int i = 0; i != 1280; ++i)
        if (!p.alone_after(alone(100, 10ms)))
        {
            ++tried;
            BOOST_TEST(!p.alone_after(together(105, 10ms)));
            BOOST_TEST(p.alone_after(together(105, 10ms)));
        }
    BOOST_TEST(tried > 7);
    BOOST_TEST(tried < 20);
    // A moment with less to do is no reason to try again.
    BOOST_TEST(p.alone_after(alone(50, 5ms)));
    BOOST_TEST(p.alone_after(alone(100, 10ms)));
    // Anew when there was time for long enough.
    for (int i = 0; i != 256; ++i)
        BOOST_TEST(p.alone_after(alone(50, 5ms)));
    BOOST_TEST(!p.alone_after(alone(100, 10ms)));
}

// Another thread could not even be woken in that time.
BOOST_AUTO_TEST_CASE(does_not_try_handlers_that_cost_next_to_nothing)
{
    policy p;
    for (int i = 0; i != 1000; ++i)
        BOOST_TEST(p.alone_after(alone(20000, 10ms)));
}

// Those of 0.5 us as well, which were not tried at all.
BOOST_AUTO_TEST_CASE(tries_soon_after_handlers_have_become_longer)
{
    for (std::size_t const handlers : {20000u, 1000u})
    {
        policy p;
        run_short_ones(p, handlers, until_longest_pause);
        BOOST_TEST(!p.is_due());
        BOOST_TEST(p.alone_after(alone(0, 10ms, 10)));
        BOOST_TEST(p.is_due());
        BOOST_TEST(!p.alone_after(alone(100, 10ms, 10)));
    }
}

// Polls are fewer as well where more handlers are ready.
BOOST_AUTO_TEST_CASE(does_not_try_sooner_where_handlers_are_as_long_as_before)
{
    policy p;
    run_short_ones(p, 1000, until_longest_pause);
    for (std::size_t const polls : {100u, 10u})
    {
        BOOST_TEST(p.alone_after(alone(0, 10ms, polls)));
        BOOST_TEST(p.is_due());
        for (int i = 0; i != 10; ++i)
        {
            BOOST_TEST(p.alone_after(alone(1000, 10ms, polls)));
            BOOST_TEST(!p.is_due());
        }
    }
    // Nor after a window in which the producer has waited.
    BOOST_TEST(p.alone_after(alone(0, 10ms, 1)));
    BOOST_TEST(p.is_due());
    BOOST_TEST(p.alone_after(alone(10, 1ms, 1)));
    BOOST_TEST(!p.is_due());
}

// Twice as often at most as where nothing changes.
BOOST_AUTO_TEST_CASE(tries_seldom_where_handlers_change_all_the_time)
{
    policy p;
    int tried = 0;
    int counted = 0;
    for (int i = 0; i != 1280; ++i)
    {
        std::size_t const n = i / 3 % 2 == 0 ? 1000 : 10;
        counted += p.is_due();
        if (!p.alone_after(alone(p.is_due() ? n : 0, 10ms, n)))
        {
            ++tried;
            BOOST_TEST(!p.alone_after(together(n, 20ms)));
            BOOST_TEST(p.alone_after(together(n, 20ms)));
        }
    }
    BOOST_TEST(tried < 40);
    BOOST_TEST(counted < 80);
}

BOOST_AUTO_TEST_CASE(checks_soon_after_handlers_have_become_shorter)
{
    policy p;
    run_together(p, 190);
    BOOST_TEST(!p.alone_after(together(1000, 20ms))); // some were long
    BOOST_TEST(p.alone_after(together(2000, 20ms)));
    for (int i = 0; i != 3; ++i)
        BOOST_TEST(p.alone_after(alone(3000, 10ms)));
}

BOOST_AUTO_TEST_CASE(stays_with_several_for_shorter_handlers_as_well)
{
    policy p;
    run_together(p, 190);
    BOOST_TEST(!p.alone_after(together(1000, 20ms)));
    BOOST_TEST(p.alone_after(together(2000, 20ms)));
    BOOST_TEST(!p.alone_after(alone(1000, 10ms)));
    for (int i = 0; i != 100; ++i)
        BOOST_TEST(!p.alone_after(together(2000, 20ms)));
}

// The number costs something, so it is asked for only where a try may follow, or is under way.
BOOST_AUTO_TEST_CASE(handlers_are_counted_when_that_is_needed)
{
    policy p;
    BOOST_TEST(p.is_due());
    BOOST_TEST(!p.alone_after(alone(100, 10ms)));
    BOOST_TEST(p.is_due());
    BOOST_TEST(!p.alone_after(together(100, 10ms)));
    BOOST_TEST(p.is_due());
    BOOST_TEST(p.alone_after(together(100, 10ms))); // in vain
    BOOST_TEST(!p.is_due());
    while (!p.is_due())
        BOOST_TEST(p.alone_after(alone(0, 10ms)));
    BOOST_TEST(!p.alone_after(alone(100, 10ms)));
}

BOOST_AUTO_TEST_SUITE_END()
