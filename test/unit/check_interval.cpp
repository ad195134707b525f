// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/watch/check_interval.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>

BOOST_AUTO_TEST_SUITE(check_interval)

namespace {

using namespace std::chrono_literals;
using interval = asio_ewyk::detail::check_interval;
using duration = interval::duration;

// How long it takes to grow to that.
duration time_to(duration goal, interval i)
{
    duration sum{};
    for (; i.get() < goal; i.grow())
    {
        BOOST_REQUIRE(sum < 1min);
        sum += i.get();
    }
    return sum;
}

interval grown(interval i = interval(50us))
{
    while (i.get() < interval::longest)
        i.grow();
    return i;
}

} // namespace

BOOST_AUTO_TEST_CASE(begins_with_the_usual_or_the_grace_within_its_bounds)
{
    BOOST_TEST((interval(50us).get() == interval::usual));
    BOOST_TEST((interval(3ms).get() == 3ms));
    BOOST_TEST((interval(1h).get() == interval::longest));
}

BOOST_AUTO_TEST_CASE(is_the_longest_late)
{
    auto const time = time_to(interval::longest, interval(50us));
    BOOST_TEST((time > 200ms));
    BOOST_TEST((time < 1s));
    auto i = grown();
    i.grow();
    BOOST_TEST((i.get() == interval::longest));
}

BOOST_AUTO_TEST_CASE(is_at_most_half_of_the_usual_after_a_late_task)
{
    auto i = grown();
    i.shrink();
    BOOST_TEST((i.get() == interval::usual / 2));
    i.shrink();
    BOOST_TEST((i.get() == interval::usual / 4));
    for (int n = 0; n != 10; ++n)
        i.shrink();
    BOOST_TEST((i.get() == 50us));
}

BOOST_AUTO_TEST_CASE(is_at_most_twice_the_usual_after_one_that_computes)
{
    auto i = grown();
    i.computed();
    BOOST_TEST((i.get() == 2 * interval::usual));
    i.shrink();
    i.computed();
    BOOST_TEST((i.get() == interval::usual / 2));
    auto slow = grown(interval(5ms));
    slow.computed();
    BOOST_TEST((slow.get() == 5ms));
}

BOOST_AUTO_TEST_CASE(is_never_less_than_a_long_grace)
{
    interval i(3ms);
    BOOST_TEST((i.get() == 3ms));
    i.shrink();
    BOOST_TEST((i.get() == 3ms));
    i.reset();
    BOOST_TEST((i.get() == 3ms));
}

BOOST_AUTO_TEST_CASE(is_usual_again_after_a_pause)
{
    auto i = grown();
    i.reset();
    BOOST_TEST((i.get() == interval::usual));
    interval brief(50us);
    brief.shrink();
    brief.reset();
    BOOST_TEST((brief.get() == interval::usual / 2));
}

// So a task that is late now and then is seen not much later than with the usual interval.
BOOST_AUTO_TEST_CASE(stays_near_the_usual_where_ten_tasks_a_second_are_late)
{
    auto i = grown();
    duration most{};
    for (int n = 0; n != 20; ++n)
    {
        i.shrink();
        duration sum{};
        while (sum < 100ms)
        {
            sum += i.get();
            i.grow();
        }
        most = i.get();
    }
    BOOST_TEST((most < 3 * interval::usual));
}

BOOST_AUTO_TEST_SUITE_END()
