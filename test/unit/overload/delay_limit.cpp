// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/overload/delay_limit.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>

BOOST_AUTO_TEST_SUITE(delay_limit)

namespace {

using namespace std::chrono_literals;
using asio_ewyk::detail::time_point;

constexpr auto target = 10ms;
constexpr auto interval = 100ms;

} // namespace

// Not in the anonymous namespace: test cases derive from it.
struct fixture
{
    // At that time after the begin.
    bool admits(std::chrono::nanoseconds delay, std::chrono::nanoseconds at)
    {
        return limit.admits(delay, time_point(1h) + at);
    }

    bool exceeded(std::chrono::nanoseconds at) const { return limit.exceeded(time_point(1h) + at); }

    // All delays of an interval are above the target.
    void overload()
    {
        BOOST_TEST_REQUIRE(admits(11ms, 0ms));
        BOOST_TEST_REQUIRE(admits(1s, 50ms));
        BOOST_TEST_REQUIRE(!admits(1s, 101ms));
    }

    asio_ewyk::detail::delay_limit limit{target, interval};
};

BOOST_FIXTURE_TEST_CASE(short_delays_pass, fixture)
{
    for (int i = 0; i != 1000; ++i)
        BOOST_TEST(admits(target, i * 1ms));
    BOOST_TEST(!exceeded(1s));
}

BOOST_FIXTURE_TEST_CASE(a_burst_passes, fixture)
{
    for (int i = 0; i != 100; ++i)
        BOOST_TEST(admits(1h, i * 1ms));
    BOOST_TEST(!exceeded(99ms));
}

BOOST_FIXTURE_TEST_CASE(one_short_delay_in_each_interval_keeps_all, fixture)
{
    for (int i = 0; i != 1000; ++i)
        BOOST_TEST(admits(i % 50 == 0 ? target : 1h, i * 1ms));
}

BOOST_FIXTURE_TEST_CASE(after_an_interval_twice_the_target_is_the_limit, fixture)
{
    overload();
    BOOST_TEST(exceeded(102ms));
    BOOST_TEST(!admits(20ms + 1ns, 102ms));
    BOOST_TEST(admits(20ms, 103ms));
    BOOST_TEST(admits(11ms, 104ms));
    BOOST_TEST(!admits(21ms, 105ms));
}

BOOST_FIXTURE_TEST_CASE(a_delay_within_the_target_ends_it, fixture)
{
    overload();
    BOOST_TEST(admits(target, 110ms));
    BOOST_TEST(!exceeded(110ms));
    BOOST_TEST(admits(1s, 111ms));
    BOOST_TEST(admits(1s, 200ms));
    BOOST_TEST(!admits(1s, 212ms));
}

// What is known of the past is not held against a burst.
BOOST_FIXTURE_TEST_CASE(nothing_is_known_where_nothing_begins, fixture)
{
    overload();
    BOOST_TEST(exceeded(200ms));
    BOOST_TEST(!exceeded(202ms));
    // The first one after a silence finds an empty queue.
    BOOST_TEST(admits(0ns, 10s));
    BOOST_TEST(admits(50ms, 10s + 50ms));
}

BOOST_FIXTURE_TEST_CASE(a_silence_is_not_held_against_what_comes_after_it, fixture)
{
    BOOST_TEST(admits(11ms, 0ms));
    BOOST_TEST(admits(50ms, 10s));
    BOOST_TEST(!exceeded(10s));
    BOOST_TEST(admits(50ms, 20s));
    // From then on it has lasted for an interval.
    BOOST_TEST(admits(50ms, 20s + 99ms));
    BOOST_TEST(!admits(50ms, 20s + 100ms));
}

// What waits for longer than an interval was there before.
BOOST_FIXTURE_TEST_CASE(tasks_longer_than_an_interval_are_no_silence, fixture)
{
    BOOST_TEST(admits(150ms, 150ms));
    BOOST_TEST(!admits(300ms, 300ms));
    BOOST_TEST(exceeded(300ms));
    BOOST_TEST(!admits(450ms, 450ms));
}

BOOST_FIXTURE_TEST_CASE(tells_the_last_delay, fixture)
{
    BOOST_TEST((limit.last() == 0ns));
    admits(7ms, 0ms);
    BOOST_TEST((limit.last() == 7ms));
}

BOOST_AUTO_TEST_CASE(the_longest_target_limits_nothing)
{
    asio_ewyk::detail::delay_limit limit(std::chrono::nanoseconds::max(), 0ns);
    BOOST_TEST(limit.admits(24h, time_point(1h)));
    BOOST_TEST(limit.admits(24h, time_point(2h)));
}

// The delays of a sample, which are short because so much was refused.
struct sampled_fixture : fixture
{
    bool admits(std::chrono::nanoseconds delay, std::chrono::nanoseconds at)
    {
        return limit.admits(delay, time_point(1h) + at,
            asio_ewyk::detail::delay_limit::ends::without_long_delays);
    }

    void overload()
    {
        BOOST_TEST_REQUIRE(admits(1h, 0ms));
        BOOST_TEST_REQUIRE(admits(1h, 60ms));
        BOOST_TEST_REQUIRE(!admits(1h, 120ms));
    }
};

BOOST_FIXTURE_TEST_CASE(short_delays_of_a_sample_make_no_overload, sampled_fixture)
{
    for (int i = 0; i != 1000; ++i)
        BOOST_TEST(admits(target, i * 1ms));
    BOOST_TEST(!exceeded(1s));
}

BOOST_FIXTURE_TEST_CASE(a_burst_in_a_sample_passes, sampled_fixture)
{
    for (int i = 0; i != 100; ++i)
        BOOST_TEST(admits(1h, i * 1ms));
    BOOST_TEST(!exceeded(99ms));
    BOOST_TEST(!admits(1h, 100ms));
    BOOST_TEST(exceeded(100ms));
}

BOOST_FIXTURE_TEST_CASE(short_delays_of_a_sample_do_not_end_it_at_once, sampled_fixture)
{
    overload();
    BOOST_TEST(admits(1ms, 130ms));
    BOOST_TEST(admits(20ms, 140ms));
    BOOST_TEST(!admits(20ms + 1ns, 150ms));
    BOOST_TEST(admits(1ms, 200ms));
    BOOST_TEST(exceeded(250ms));
    BOOST_TEST(admits(11ms, 250ms));
    BOOST_TEST(exceeded(350ms));
}

BOOST_FIXTURE_TEST_CASE(an_interval_without_long_ones_ends_it, sampled_fixture)
{
    overload();
    BOOST_TEST(admits(1ms, 130ms));
    BOOST_TEST(exceeded(220ms));
    BOOST_TEST(!exceeded(221ms));
    // The next one begins anew.
    BOOST_TEST(admits(30ms, 300ms));
    BOOST_TEST(!exceeded(300ms));
    BOOST_TEST(admits(30ms, 399ms));
    BOOST_TEST(!admits(30ms, 400ms));
}

BOOST_AUTO_TEST_SUITE_END()
