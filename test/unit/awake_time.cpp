// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/watch/awake_time.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>

BOOST_AUTO_TEST_SUITE(awake_time)

namespace {

using namespace std::chrono_literals;
using awake_time = asio_ewyk::detail::awake_time;
using duration = awake_time::duration;

awake_time after(int times, duration silence, awake_time d = {})
{
    for (int i = 0; i != times; ++i)
        d.woken_after(silence);
    return d;
}

} // namespace

BOOST_AUTO_TEST_CASE(sleeps_at_once_at_first)
{
    BOOST_TEST(bool(awake_time().get() == 0ns));
}

BOOST_AUTO_TEST_CASE(stays_awake_longer_where_silences_are_short)
{
    BOOST_TEST(bool(after(1, 1us).get() == awake_time::shortest));
    BOOST_TEST(bool(after(2, 1us).get() == 2 * awake_time::shortest));
    BOOST_TEST(bool(after(100, 4ms).get() == awake_time::longest));
}

BOOST_AUTO_TEST_CASE(sleeps_sooner_and_in_the_end_at_once_where_silences_are_long)
{
    awake_time const longest = after(100, 1us);
    BOOST_TEST(bool(after(1, 1h, longest).get() == awake_time::longest / 2));
    BOOST_TEST(bool(after(10, 10ms, longest).get() == 0ns));
}

BOOST_AUTO_TEST_CASE(keeps_what_it_is_in_between)
{
    awake_time const some = after(3, 1us);
    BOOST_TEST(bool(after(100, 7ms, some).get() == some.get()));
}

// One silence among the others does not turn it round.
BOOST_AUTO_TEST_CASE(a_pause_of_a_busy_producer_is_forgotten)
{
    awake_time d = after(1, 1min, after(100, 1us));
    d.woken_after(1us);
    BOOST_TEST(bool(d.get() == awake_time::longest));
}

BOOST_AUTO_TEST_SUITE_END()
