// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// How long things wait in a queue is told from how many come and go, with a clock of the test's own.

#include "support.hpp"
#include <asio_ewyk/detail/metrics/delay_meter.hpp>

#include <cstdint>

BOOST_AUTO_TEST_SUITE(delay_meter)

namespace {

using namespace std::chrono_literals;
using measured = asio_ewyk::detail::delay_meter;

// A queue that is looked at, and where nothing happens by itself.
struct queue
{
    measured meter;
    asio_ewyk::detail::time_point now{1h};
    std::uint64_t taken = 0;
    std::uint64_t waiting = 0;

    void put(std::uint64_t n) { waiting += n; }
    void take(std::uint64_t n)
    {
        taken += n;
        waiting -= n;
    }
    asio_ewyk::load_metrics after(std::chrono::nanoseconds t)
    {
        now += t;
        return meter.look({taken, waiting}, now);
    }
};

BOOST_AUTO_TEST_CASE(the_first_look_tells_nothing)
{
    queue q;
    q.put(100);
    BOOST_TEST((q.after(0ns).delay == 0ns));
    BOOST_TEST((q.after(0ns).average_delay == 0ns));
}

BOOST_AUTO_TEST_CASE(an_empty_queue_has_no_delay)
{
    queue q;
    for (int i = 0; i != 10; ++i)
    {
        auto const r = q.after(10ms);
        BOOST_TEST((r.delay == 0ns));
        BOOST_TEST((r.average_delay == 0ns));
        q.put(5);
        q.take(5);
    }
}

// Each millisecond one is taken and one comes, behind ten others.
BOOST_AUTO_TEST_CASE(a_steady_queue_is_measured_to_the_time_between_two_looks)
{
    queue q;
    q.put(10);
    q.after(0ns);
    std::chrono::nanoseconds last{};
    for (int i = 0; i != 1'000; ++i)
    {
        q.put(1);
        q.take(1);
        auto const r = q.after(1ms);
        if (i >= 10)
            BOOST_TEST((r.delay == 10ms));
        last = r.average_delay;
    }
    // After a second it is most of that.
    BOOST_TEST((last > 5ms));
    BOOST_TEST((last < 10ms));
}

// Likewise, looked at once in a second.
BOOST_AUTO_TEST_CASE(where_none_looks_for_long_it_is_what_the_rate_tells)
{
    queue q;
    q.put(10);
    q.after(0ns);
    for (int i = 0; i != 5; ++i)
    {
        q.put(1'000);
        q.take(1'000);
        BOOST_TEST((q.after(1s).delay == 10ms));
    }
}

BOOST_AUTO_TEST_CASE(what_stands_still_waits_longer_and_longer)
{
    queue q;
    q.put(1);
    q.after(0ns);
    BOOST_TEST((q.after(5ms).delay == 5ms));
    BOOST_TEST((q.after(5ms).delay == 10ms));
    q.put(100);
    BOOST_TEST((q.after(1s).delay == 1010ms));
    // It goes on, and what was followed is over at once.
    q.take(101);
    BOOST_TEST((q.after(1ms).delay >= 1010ms));
    BOOST_TEST((q.after(1ms).delay == 0ns));
}

// It has waited at least as long as it was seen to wait, and at most until now.
BOOST_AUTO_TEST_CASE(the_rate_tells_nothing_that_was_seen_to_be_otherwise)
{
    queue q;
    q.put(1);
    q.after(0ns);
    q.after(100ms);
    q.put(999);
    q.take(1'000);
    BOOST_TEST((q.after(1ms).delay == 100ms));
}

BOOST_AUTO_TEST_CASE(a_clock_that_was_read_before_changes_nothing)
{
    queue q;
    q.put(3);
    q.after(10ms);
    q.take(3);
    q.put(1);
    BOOST_TEST((q.after(-5ms).delay == 0ns));
    BOOST_TEST((q.after(10ms).delay == 5ms));
}

// Another thread has seen it wait until later than that.
BOOST_AUTO_TEST_CASE(a_clock_that_was_read_before_the_last_look_changes_nothing)
{
    queue q;
    q.put(1);
    q.after(0ns);
    BOOST_TEST((q.after(10ms).delay == 10ms));
    q.put(1);
    q.take(1);
    BOOST_TEST((q.after(-5ms).delay == 10ms));
    BOOST_TEST((q.after(10ms).delay == 15ms));
}

BOOST_AUTO_TEST_CASE(what_was_destroyed_waits_no_more)
{
    queue q;
    q.put(3);
    q.after(0ns);
    BOOST_TEST((q.after(10ms).delay == 10ms));
    q.waiting = 0;
    BOOST_TEST((q.after(10ms).delay == 10ms));
    BOOST_TEST((q.after(1h).delay == 0ns));
}

BOOST_AUTO_TEST_CASE(a_pause_is_no_delay)
{
    queue q;
    q.put(1);
    q.after(0ns);
    q.take(1);
    BOOST_TEST((q.after(1h).delay == 0ns));
    BOOST_TEST((q.after(0ns).average_delay == 0ns));
    // Nor is it where something waits again: a second at most.
    q.put(1);
    q.after(1ms);
    q.take(1);
    q.put(1);
    BOOST_TEST((q.after(1h).delay <= 1s));
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
