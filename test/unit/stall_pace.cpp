// When the monitor looks again, and what it asks for: step by step, with moments of our own.

#include "support.hpp"

#include <asio_ewyk/detail/stall_pace.hpp>

BOOST_AUTO_TEST_SUITE(stall_pace)

namespace {

using namespace support;
using ewyk::detail::forever;
using ewyk::detail::time_point;
using pace = ewyk::detail::stall_pace;
using ask = pace::attention;

struct monitor_of_ours
{
    time_point now{1h};
    pace p{now};
    ask asked = ask::stamp; // as it is when somebody has woken the monitor
    time_point due = forever;
    std::chrono::nanoseconds threshold = 100ms;

    // Looks, after that time. How long until the next look.
    std::chrono::nanoseconds look(std::chrono::nanoseconds time, std::uint64_t changes)
    {
        now += time;
        auto const step = p.after_look(now, changes, asked, due, threshold);
        asked = step.ask;
        return step.next == forever ? std::chrono::nanoseconds::max() : step.next - now;
    }
};

constexpr auto never = std::chrono::nanoseconds::max();

} // namespace

BOOST_AUTO_TEST_CASE(stamps_while_few_handlers_begin)
{
    monitor_of_ours m;
    for (int i = 0; i != 100; ++i)
    {
        BOOST_TEST((m.look(50ms, 100) == 50ms));
        BOOST_TEST((m.asked == ask::stamp));
    }
}

BOOST_AUTO_TEST_CASE(ticks_while_many_do_and_asks_for_nothing)
{
    monitor_of_ours m;
    BOOST_TEST((m.look(50ms, pace::many) == pace::tick));
    for (int i = 0; i != 100; ++i)
    {
        BOOST_TEST((m.look(pace::tick, pace::many / 500) == pace::tick));
        BOOST_TEST((m.asked == ask::none));
    }
}

// A handler that began before stamps were asked for must be seen within a tick, as ever.
BOOST_AUTO_TEST_CASE(looks_once_more_soon_when_it_asks_for_stamps_again)
{
    monitor_of_ours m;
    m.look(50ms, pace::many);
    auto next = pace::tick;
    while (m.asked == ask::none)
        next = m.look(next, 1);
    BOOST_TEST((m.asked == ask::stamp));
    BOOST_TEST((next == pace::tick));
    BOOST_TEST((m.look(next, 1) == 50ms));
}

BOOST_AUTO_TEST_CASE(does_not_change_its_mind_between_few_and_many)
{
    monitor_of_ours m;
    auto const between = (pace::many + pace::few) / 2 / 20; // in 50 ms
    m.look(50ms, between);
    BOOST_TEST((m.asked == ask::stamp));
    m.look(50ms, 10 * pace::many);
    BOOST_TEST((m.asked == ask::none));
    m.look(50ms, between);
    BOOST_TEST((m.asked == ask::none));
}

// First it asks to be woken, then it looks again, and only then it sleeps: never otherwise.
BOOST_AUTO_TEST_CASE(sleeps_for_good_after_two_looks_that_saw_nothing)
{
    monitor_of_ours m;
    m.look(1ms, 2);
    BOOST_TEST((m.look(50ms, 0) == 50ms));
    BOOST_TEST((m.asked == ask::wake));
    BOOST_TEST((m.look(50ms, 0) == never));
    BOOST_TEST((m.asked == ask::wake));
}

// Somebody woke it and set that back, but his change is seen by the next look only.
BOOST_AUTO_TEST_CASE(does_not_sleep_for_good_where_nobody_is_asked_to_wake_it)
{
    monitor_of_ours m;
    m.look(50ms, 0);
    m.asked = ask::stamp;
    BOOST_TEST((m.look(50ms, 0) == 50ms));
    BOOST_TEST((m.asked == ask::wake));
    m.asked = ask::stamp;
    BOOST_TEST((m.look(1ms, 2) == 50ms));
    BOOST_TEST((m.asked == ask::stamp));
}

// A handler that runs on and on is looked at when it is due, though nothing else happens.
BOOST_AUTO_TEST_CASE(looks_when_a_handler_is_due)
{
    monitor_of_ours m;
    m.due = m.now + 80ms;
    BOOST_TEST((m.look(1ms, 1) == 50ms));
    BOOST_TEST((m.look(50ms, 0) == 29ms));
    m.due = m.now + 1h;
    BOOST_TEST((m.look(29ms, 0) == 1h - 29ms));
    BOOST_TEST((m.asked == ask::wake));
}

BOOST_AUTO_TEST_CASE(looks_as_often_as_the_least_threshold_needs)
{
    monitor_of_ours m;
    m.threshold = 10ms;
    BOOST_TEST((m.look(1ms, 2) == 5ms));
    m.threshold = 1us;
    BOOST_TEST((m.look(1ms, 2) == pace::tick));
    m.threshold = 10h;
    BOOST_TEST((m.look(1ms, 2) == pace::longest));
}

BOOST_AUTO_TEST_SUITE_END()
