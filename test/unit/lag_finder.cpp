// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Whether tasks wait for too long, from how many wait and how many were taken.

#include "support.hpp"

#include <asio_ewyk/detail/stall/lag_finder.hpp>

BOOST_AUTO_TEST_SUITE(lag_finder)

namespace {

using namespace support;

struct queue_of_ours
{
    ewyk::detail::lag_finder finder;
    ewyk::detail::time_point now{1h};
    std::size_t taken = 0;
    int counts = 0;

    auto look(std::chrono::nanoseconds time, std::size_t more_taken, std::size_t waiting,
        std::chrono::nanoseconds longest = 1ms)
    {
        now += time;
        taken += more_taken;
        return finder.look(now, 100ms, taken, longest, [&] {
            ++counts;
            return waiting;
        });
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(finds_that_those_who_waited_still_do)
{
    queue_of_ours q;
    BOOST_TEST(!q.look(0ms, 0, 50));
    BOOST_TEST(!q.look(99ms, 48, 60));
    auto const lag = q.look(1ms, 1, 70);
    BOOST_TEST_REQUIRE(lag.has_value());
    BOOST_TEST((lag->time == 100ms));
    BOOST_TEST(lag->ran == 49u);
}

// The queue is never empty, but what waits is served at once.
BOOST_AUTO_TEST_CASE(a_queue_that_is_never_empty_is_no_lag)
{
    queue_of_ours q;
    for (int i = 0; i != 100; ++i)
        BOOST_TEST(!q.look(50ms, 1, 1));
}

BOOST_AUTO_TEST_CASE(tells_it_once_for_as_long_as_it_lasts)
{
    queue_of_ours q;
    q.look(0ms, 0, 50);
    BOOST_TEST(q.look(100ms, 10, 50).has_value());
    for (int i = 0; i != 10; ++i)
        BOOST_TEST(!q.look(100ms, 10, 50));
    BOOST_TEST(!q.look(100ms, 50, 50)); // over
    BOOST_TEST(q.look(100ms, 10, 50).has_value());
    BOOST_TEST(!q.look(100ms, 50, 0)); // over, and none waits
    BOOST_TEST(!q.look(100ms, 0, 50));
    BOOST_TEST(q.look(100ms, 10, 50).has_value());
}

// A stall explains it; and what may become one is waited for.
BOOST_AUTO_TEST_CASE(leaves_it_to_the_report_of_a_long_handler)
{
    queue_of_ours q;
    q.look(0ms, 0, 50);
    BOOST_TEST(!q.look(100ms, 0, 50, 50ms));
    BOOST_TEST(!q.look(50ms, 0, 50, 100ms));
    BOOST_TEST(!q.look(1ms, 1, 49));
    BOOST_TEST(!q.look(99ms, 2, 49, 60ms));
    BOOST_TEST(!q.look(1ms, 0, 49, 61ms));
    auto const lag = q.look(30ms, 1, 48);
    BOOST_TEST_REQUIRE(lag.has_value());
    BOOST_TEST((lag->time == 130ms));
    BOOST_TEST(lag->ran == 3u);
}

// Counting is not for every look.
BOOST_AUTO_TEST_CASE(counts_once_in_a_threshold)
{
    queue_of_ours q;
    for (int i = 0; i != 1000; ++i)
        q.look(1ms, 10, 10);
    BOOST_TEST(q.counts <= 11);
}

BOOST_AUTO_TEST_SUITE_END()
