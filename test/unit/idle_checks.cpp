// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/engine/idle_checks.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <set>

BOOST_AUTO_TEST_SUITE(idle_checks)

namespace {

using namespace std::chrono_literals;
using asio_ewyk::detail::time_point;
using duration = std::chrono::nanoseconds;

constexpr time_point some_day{1'000h + 1ns};

time_point next(time_point now, duration silence, bool has_run = true, bool tells = true)
{
    return asio_ewyk::detail::idle_checks::next(now, now - silence, has_run, tells);
}

} // namespace

// With what it takes to take over, others wait for less than 15 ms.
BOOST_AUTO_TEST_CASE(come_within_12_ms_where_something_has_run_in_the_last_second)
{
    for (auto now = some_day; now < some_day + 50ms; now += 317us)
        for (duration const silence : {0ms, 1ms, 12ms, 500ms, 999ms})
        {
            BOOST_TEST((next(now, silence) - now <= 12ms));
            BOOST_TEST((next(now, silence) - now >= 8ms));
        }
}

BOOST_AUTO_TEST_CASE(come_within_a_tenth_of_a_second_after_any_silence)
{
    for (duration const silence : {duration(1s), duration(1min), duration(10'000h)})
        BOOST_TEST((next(some_day, silence) - some_day == 100ms));
}

// A thousand contexts that have little to do wake the watchdog as often as a few.
BOOST_AUTO_TEST_CASE(of_many_producers_come_together)
{
    std::set<time_point> all;
    for (int i = 0; i != 1000; ++i)
        all.insert(next(some_day + i * 10us, 10ms));
    BOOST_TEST(all.size() <= 4u);
}

BOOST_AUTO_TEST_CASE(are_in_no_haste_where_the_system_does_not_tell)
{
    BOOST_TEST((next(some_day, 1ms, true, false) - some_day == 100ms));
    BOOST_TEST((next(some_day, 1min, true, false) - some_day == 1min));
}

BOOST_AUTO_TEST_CASE(are_ever_fewer_where_nothing_has_run)
{
    int many = 0;
    for (auto now = some_day; now < some_day + 24h; ++many)
        now = std::max(now, next(now, now - some_day, false));
    BOOST_TEST(many > 15);
    BOOST_TEST(many < 25);
}

BOOST_AUTO_TEST_SUITE_END()
