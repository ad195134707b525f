// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// When the monitor looks again, and what it asks for: step by step, with moments of our own.

#include "support.hpp"

#include <asio_ewyk/detail/diagnostics/stall_pace.hpp>

BOOST_AUTO_TEST_SUITE(stall_pace)

namespace {

using namespace support;
using ewyk::detail::forever;
using ewyk::detail::time_point;
using pace = ewyk::detail::stall_pace;

struct monitor_of_ours
{
    time_point now{1h};
    pace p;
    bool asked = false; // as it is when a handler has woken the monitor
    time_point due = forever;
    std::chrono::nanoseconds threshold = 100ms;

    // Looks, after that time. How long until the next look.
    std::chrono::nanoseconds look(std::chrono::nanoseconds time, bool changed)
    {
        now += time;
        auto const step = p.after_look(now, changed, asked, due, threshold);
        asked = step.ask;
        return step.next == forever ? std::chrono::nanoseconds::max() : step.next - now;
    }
};

constexpr auto never = std::chrono::nanoseconds::max();

} // namespace

BOOST_AUTO_TEST_CASE(looks_after_each_interval_while_handlers_begin)
{
    monitor_of_ours m;
    for (int i = 0; i != 100; ++i)
    {
        BOOST_TEST((m.look(10ms, true) == 10ms));
        BOOST_TEST(!m.asked);
    }
}

// First it asks to be woken, then it looks again, and only then it sleeps: never otherwise.
BOOST_AUTO_TEST_CASE(sleeps_for_good_after_two_looks_that_saw_nothing)
{
    monitor_of_ours m;
    m.look(1ms, true);
    BOOST_TEST((m.look(10ms, false) == 10ms));
    BOOST_TEST(m.asked);
    BOOST_TEST((m.look(10ms, false) == never));
    BOOST_TEST(m.asked);
}

// A look for something else that comes early is not the one that it waits for.
BOOST_AUTO_TEST_CASE(an_early_look_does_not_send_it_to_sleep)
{
    monitor_of_ours m;
    m.look(1ms, true);
    BOOST_TEST((m.look(4ms, false) == 6ms));
    BOOST_TEST(!m.asked);
    BOOST_TEST((m.look(6ms, false) == 10ms));
    BOOST_TEST(m.asked);
    BOOST_TEST((m.look(1ms, false) == 9ms));
    BOOST_TEST((m.look(9ms, false) == never));
}

// A handler woke it and set that back, but its change is seen by the next look only.
BOOST_AUTO_TEST_CASE(does_not_sleep_for_good_where_no_thread_is_asked_to_wake_it)
{
    monitor_of_ours m;
    m.look(1ms, true);
    m.look(10ms, false);
    m.asked = false;
    BOOST_TEST((m.look(10ms, false) == 10ms));
    BOOST_TEST(m.asked);
    m.asked = false;
    BOOST_TEST((m.look(1ms, true) == 10ms));
    BOOST_TEST(!m.asked);
}

// A handler that runs on and on is looked at when it is due, though nothing else happens.
BOOST_AUTO_TEST_CASE(looks_when_a_handler_is_due)
{
    monitor_of_ours m;
    m.due = m.now + 15ms;
    BOOST_TEST((m.look(1ms, true) == 10ms));
    BOOST_TEST((m.look(10ms, false) == 4ms));
    m.due = m.now + 1h;
    BOOST_TEST((m.look(10ms, false) == 1h - 10ms));
    BOOST_TEST(m.asked);
}

BOOST_AUTO_TEST_CASE(looks_as_often_as_the_least_threshold_needs)
{
    monitor_of_ours m;
    m.threshold = 50ms;
    BOOST_TEST((m.look(1ms, true) == 5ms));
    m.threshold = 1us;
    BOOST_TEST((m.look(1ms, true) == pace::shortest));
    m.threshold = 10h;
    BOOST_TEST((m.look(1ms, true) == 1h));
}

BOOST_AUTO_TEST_SUITE_END()
