// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/watch/lateness.hpp>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <ostream>

BOOST_AUTO_TEST_SUITE(lateness)

namespace {

using namespace std::chrono_literals;
using asio_ewyk::detail::lease;
using asio_ewyk::detail::thread_probe;
using asio_ewyk::detail::time_point;
using policy = asio_ewyk::detail::lateness;
using state = thread_probe::state;
using activity = lease::activity;

// Checks one lease, as often as the policy asks for it. Time passes with the checks.
class watched
{
public:
    explicit watched(std::chrono::nanoseconds grace, bool tracks = false)
        : policy_(grace, tracks)
    {
        now.right.leased = now.right.held = true;
        now.thread = state::runs;
        now.observes = now.knows_file = true;
        now.now = begin_;
    }

    policy::observation now;
    bool answers = false; // a request for a sign of life

    // How often.
    int checks = 0;
    int late = 0;
    int asked = 0;
    int woken_owner = 0;
    int sentinels = 0;

    // A check, when it is due; or, as the producer wakes the watchdog, at once.
    policy::verdict check(bool woken = false)
    {
        if (!woken && policy_.next() > now.now)
            now.now = policy_.next();
        now.woken = woken;
        now.has_sign = answers;
        auto const v = policy_.update(now);
        BOOST_TEST_REQUIRE((policy_.next() > now.now || policy_.sleeps()));
        ++checks;
        late += v.late;
        asked += v.asks_for_sign;
        woken_owner += v.wakes_owner;
        sentinels += v.needs_sentinel;
        return v;
    }

    void task(activity what = activity::busy)
    {
        ++now.right.which;
        now.right.what = what;
    }

    // How long until the next check.
    std::chrono::nanoseconds pause() const { return policy_.next() - now.now; }
    bool is_about_to_sleep() const { return policy_.sleeps(); }
    bool sleeps() const { return policy_.next() == asio_ewyk::detail::forever; }

    // Until the first late task, and how long that took; or a second.
    std::chrono::nanoseconds until_late()
    {
        auto const began = now.now;
        while (late == 0 && now.now - began < 1s && !sleeps())
            check();
        return now.now - began;
    }

    void check_for_a_second()
    {
        for (auto const end = now.now + 1s; policy_.next() < end;)
            check();
    }

    // Told by a sentinel.
    bool is_late(state told) { return policy_.is_late(now, told); }

private:
    time_point const begin_ = time_point() + 1h;
    policy policy_;
};

char const* name_of(state s)
{
    switch (s)
    {
    case state::unknown:
        return "unknown";
    case state::runs:
        return "runs";
    case state::polls:
        return "polls";
    case state::locks:
        return "locks";
    case state::blocks:
        return "blocks";
    }
    return "?";
}

} // namespace

// What a thread does, for what it has said, and what comes of it when the lease stays the same.
BOOST_AUTO_TEST_CASE(a_thread_is_late_if_it_sleeps_elsewhere_than_where_it_waits_for_io)
{
    enum class found
    {
        never,
        soon,          // in some milliseconds
        after_no_sign, // of life, for which is asked
        computes,      // later, or where the system does not tell
    };
    struct row
    {
        activity said;
        bool knows_file;
        bool alone;
        state is;
        found what;
    };
    using enum lease::activity;
    using enum found;
    constexpr row rows[] = {
        {busy, true, true, state::blocks, soon},
        {busy, true, true, state::locks, soon},
        {busy, true, true, state::polls, soon}, // the program's own wait
        {busy, true, true, state::runs, computes},
        {busy, true, true, state::unknown, computes},
        {busy, true, false, state::blocks, soon},
        {busy, true, false, state::locks, after_no_sign}, // it may wait beside another thread
        {polls, true, true, state::polls, never},
        {polls, true, true, state::locks, never},
        {unknown, true, true, state::blocks, soon},
        {unknown, true, true, state::polls, soon}, // it would have said that it waits
        {unknown, true, true, state::locks, after_no_sign},
        {unknown, true, true, state::runs, after_no_sign},
        {unknown, true, true, state::unknown, never},
        {unknown, false, true, state::blocks, after_no_sign}, // nothing has told for what it waits
        {unknown, false, true, state::polls, after_no_sign},
    };
    for (row const& r : rows)
        for (bool const answers : {false, true})
        {
            BOOST_TEST_CONTEXT("said " << static_cast<int>(r.said) << ", exact " << r.knows_file
                                       << ", alone " << r.alone << ", " << name_of(r.is)
                                       << ", answers " << answers)
            {
                watched w(20us);
                w.now.knows_file = r.knows_file;
                w.now.alone = r.alone;
                w.now.thread = r.is;
                w.answers = answers;
                w.check(true);
                w.task(r.said);
                auto const time = w.until_late();
                bool const late = r.what == soon || r.what == computes
                    || (r.what == after_no_sign && !answers);
                BOOST_TEST((w.late != 0) == late);
                if (late)
                    BOOST_TEST((time < (r.what == soon ? 5ms : 15ms)));
                if (r.what == after_no_sign)
                    BOOST_TEST(w.asked != 0);
            }
        }
}

// If a second check took it for late, after a few hundred microseconds, there would be one whenever
// the watchdog checks: threads would only take turns.
BOOST_DATA_TEST_CASE(a_second_check_leaves_a_task_that_computes,
    boost::unit_test::data::make({false, true}), hidden)
{
    watched w(10us);
    w.now.thread = hidden ? state::unknown : state::runs;
    w.check(true);
    // Short tasks, until it checks rarely.
    for (int i = 0; i != 10'000 && w.pause() < 8ms; ++i)
    {
        w.task();
        w.check();
    }
    BOOST_TEST((w.pause() >= 8ms));
    BOOST_TEST(w.late == 0);
    w.task();
    w.check();
    auto const began = w.now.now;
    BOOST_TEST((w.pause() < 1ms));
    w.check();
    BOOST_TEST(w.late == 0);
    auto const due = w.now.now + w.pause();
    BOOST_TEST((due - began >= 2ms));
    BOOST_TEST((due - began < 8ms));
    w.check();
    BOOST_TEST(w.late == 1);
}

// A thread that gives a sign of life waits for a condition. That is asked for less and less often.
BOOST_DATA_TEST_CASE(a_thread_that_gives_signs_is_asked_seldom,
    boost::unit_test::data::make({false, true}), beside)
{
    watched w(1ms);
    w.now.thread = state::locks;
    w.answers = true;
    w.now.alone = !beside;
    w.check(true);
    w.task(beside ? activity::busy : activity::unknown);
    w.check_for_a_second();
    BOOST_TEST(w.late == 0);
    BOOST_TEST(w.asked > 5);
    BOOST_TEST(w.asked < 40);
}

// A thread of the pool that waits for I/O in place of the owner: that is woken, less and less
// often.
BOOST_DATA_TEST_CASE(the_owner_is_woken_while_a_lent_thread_waits,
    boost::unit_test::data::make({false, true}), lent)
{
    watched w(1ms);
    w.now.thread = state::polls;
    w.now.lent = lent;
    w.check(true);
    w.task(activity::polls);
    w.check_for_a_second();
    BOOST_TEST(w.checks < 100);
    BOOST_TEST(w.woken_owner >= (lent ? 3 : 0));
    BOOST_TEST(w.woken_owner <= (lent ? 20 : 0));
    BOOST_TEST(w.late == 0);
}

BOOST_AUTO_TEST_CASE(nothing_is_late_with_the_longest_grace)
{
    watched w(std::chrono::nanoseconds::max());
    w.now.thread = state::blocks;
    w.check(true);
    w.task();
    w.check_for_a_second();
    BOOST_TEST(w.late == 0);
}

// Where waits are not observed a native handler that ends one wakes nobody.
BOOST_AUTO_TEST_CASE(an_unobserved_producer_is_checked_within_12_ms_then_ten_times_a_second)
{
    watched w(20us);
    w.now.observes = w.now.knows_file = false;
    w.task();
    w.check(true);
    w.task(activity::unknown);
    w.now.thread = state::polls;
    w.check();
    w.check_for_a_second();
    BOOST_TEST(w.checks > 80);
    BOOST_TEST(w.checks < 130);
    w.checks = 0;
    for (int i = 0; i != 10; ++i)
        w.check_for_a_second();
    BOOST_TEST(w.checks <= 101);
    BOOST_TEST((w.checks > 85) == thread_probe::tells_now);
    BOOST_TEST(w.late == 0);
    w.now.thread = state::blocks;
    w.check();
    BOOST_TEST((w.until_late() < 5ms));
    BOOST_TEST(w.late == 1);
}

// The watchdog says so first, and checks once more, at once.
BOOST_DATA_TEST_CASE(the_watchdog_sleeps_while_the_producer_waits,
    boost::unit_test::data::make({false, true}), at_first)
{
    watched w(20us);
    w.task(at_first ? activity::polls : activity::busy);
    w.check(true);
    if (!at_first)
    {
        BOOST_TEST(!w.is_about_to_sleep());
        w.task(activity::polls);
        w.check();
    }
    BOOST_TEST(w.is_about_to_sleep());
    BOOST_TEST((w.pause() == 0s));
    w.check();
    BOOST_TEST(w.sleeps());
}

BOOST_AUTO_TEST_CASE(a_task_that_it_finds_before_it_sleeps_keeps_it_awake)
{
    watched w(20us);
    w.task(activity::polls);
    w.check(true);
    BOOST_TEST(w.is_about_to_sleep());
    w.task();
    w.now.thread = state::blocks;
    w.check();
    BOOST_TEST(!w.is_about_to_sleep());
    BOOST_TEST((w.until_late() < 5ms));
    BOOST_TEST(w.late == 1);
}

// Two tasks soon after each other, of which the second one blocks.
BOOST_AUTO_TEST_CASE(a_task_that_follows_the_first_one_after_a_silence_is_found_at_once)
{
    watched w(20us);
    w.task();
    auto const began = w.now.now;
    w.check(true);
    w.task();
    w.now.thread = state::blocks;
    w.until_late();
    BOOST_TEST(w.late == 1);
    BOOST_TEST((w.now.now - began < 500us));
}

BOOST_AUTO_TEST_CASE(a_sentinel_is_activated_while_tasks_are_late_now_and_then)
{
    watched w(20us);
    w.task();
    w.check(true);
    w.task();
    w.check();
    BOOST_TEST(w.sentinels == 0);
    w.now.thread = state::blocks;
    w.until_late();
    BOOST_TEST(w.sentinels == 1);
    w.task();
    w.check();
    BOOST_TEST(w.sentinels == 2);
}

BOOST_AUTO_TEST_CASE(a_sentinel_tells_of_a_late_task)
{
    watched w(20us);
    w.task();
    BOOST_TEST(w.is_late(state::blocks));
    BOOST_TEST(w.is_late(state::locks));
    BOOST_TEST(!w.is_late(state::runs));
    BOOST_TEST(!w.is_late(state::unknown)); // nothing was told
    w.now.alone = false;
    BOOST_TEST(!w.is_late(state::locks));
    // Of that handler, or of one before.
    w.now.inside = {.told = true, .runs = true, .which = 1, .age = 20us};
    BOOST_TEST(w.is_late(state::locks));
    w.now.inside.age = 1us;
    BOOST_TEST(!w.is_late(state::locks));
    w.now.inside = {.told = true, .runs = false, .which = 2};
    BOOST_TEST(!w.is_late(state::blocks));
    w.now.inside = {};
    w.now.right.what = activity::polls;
    BOOST_TEST(!w.is_late(state::blocks));
}

// Where Asio tells of each handler. None of them renews the lease.
BOOST_AUTO_TEST_CASE(many_short_handlers_are_not_a_long_one_where_each_is_told)
{
    for (bool const told : {false, true})
    {
        watched w(50us, told);
        w.task();
        w.now.inside.told = w.now.inside.runs = told;
        for (int i = 0; i != 200; ++i)
        {
            if (told)
            {
                ++w.now.inside.which;
                w.now.inside.age = 10us;
            }
            w.check(i == 0);
        }
        BOOST_TEST((w.late == 0) == told);
    }
}

// Whatever the thread does, whenever the handler begins, and though others wait inside the
// io_context.
BOOST_AUTO_TEST_CASE(a_handler_that_is_told_is_late_within_5_ms)
{
    for (state const does : {state::locks, state::blocks, state::polls, state::runs})
        for (activity const what : {activity::unknown, activity::busy})
            for (int const checks : {0, 1, 2, 100, 1001, 1002})
            {
                watched w(10us, true);
                w.now.alone = false;
                w.task(what);
                w.now.inside = {.told = true, .runs = true, .which = 1, .age = 5us};
                w.check(true);
                for (int i = 0; i != checks; ++i)
                {
                    ++w.now.inside.which;
                    w.check();
                }
                BOOST_TEST(w.late == 0);
                auto const began = w.now.now;
                ++w.now.inside.which;
                w.now.thread = does;
                while (w.late == 0 && w.now.now - began < 1s)
                {
                    w.now.inside.age = w.now.now + w.pause() - began; // at the check
                    w.check();
                }
                BOOST_TEST((w.now.now - began <= 5ms), name_of(does) << " after " << checks);
                BOOST_TEST(w.asked == 0);
            }
}

// Each of the others that it runs inside of itself changes the record twice.
BOOST_AUTO_TEST_CASE(a_handler_that_computes_and_runs_others_is_late)
{
    watched w(10us, true);
    w.task();
    w.now.inside = {.told = true, .runs = true, .which = 1, .age = 5us};
    w.check(true);
    auto const began = w.now.now;
    while (w.late == 0 && w.now.now - began < 1s)
    {
        w.now.inside.which += 2;
        w.now.inside.age = w.now.now + w.pause() - began;
        w.check();
    }
    BOOST_TEST((w.now.now - began <= 10ms));
}

// A native handler leaves its mark behind, and its thread may wait for Asio's condition.
BOOST_AUTO_TEST_CASE(a_mark_without_a_handler_is_no_certainty)
{
    for (bool const answers : {true, false})
    {
        watched w(50us, true);
        w.now.inside.told = true;
        w.now.thread = state::locks;
        w.answers = answers;
        w.task();
        w.check(true);
        for (int i = 0; i != 100; ++i)
            w.check();
        BOOST_TEST(w.asked != 0);
        BOOST_TEST((w.late == 0) == answers);
    }
}

// When the thread keeps its right no more the handler may be late, and nothing wakes the watchdog.
BOOST_AUTO_TEST_CASE(the_watchdog_is_awake_while_a_handler_runs)
{
    watched w(50us, true);
    w.now.inside = {.told = true, .runs = true, .which = 1, .age = -1ns};
    w.task(activity::unknown);
    w.now.right.leased = false;
    w.check(true);
    for (int i = 0; i != 100; ++i)
    {
        w.check();
        BOOST_TEST(!w.is_about_to_sleep());
    }
    BOOST_TEST(w.late == 0);
    w.now.right.leased = true;
    w.now.thread = state::locks;
    BOOST_TEST((w.until_late() <= 5ms));
}

// For a moment the record is of the thread that had the right before.
BOOST_AUTO_TEST_CASE(a_handler_of_another_lease_is_not_late_at_first_sight)
{
    watched w(50us, true);
    w.task();
    w.check(true);
    w.now.thread = state::blocks;
    w.now.inside = {.told = true, .runs = true, .which = 1, .age = 1s};
    w.task(activity::unknown);
    w.check();
    BOOST_TEST(w.late == 0);
    w.task(activity::busy); // the thread of this lease has said so
    w.check();
    BOOST_TEST(w.late == 1);
}

// Its next handler wakes the watchdog.
BOOST_AUTO_TEST_CASE(an_unobserved_producer_is_not_checked_where_handlers_are_told)
{
    watched w(50us, true);
    w.now.observes = w.now.knows_file = false;
    w.now.thread = state::polls;
    w.now.inside.told = true;
    w.task(activity::unknown);
    w.check(true);
    for (int i = 0; i != 1000 && !w.sleeps(); ++i)
        w.check();
    BOOST_TEST(w.sleeps());
    BOOST_TEST(w.late == 0);
}

// Asio does not tell of a function of the user's that decides about a handler, or destroys it.
BOOST_AUTO_TEST_CASE(an_unobserved_producer_is_checked_where_it_does_not_wait)
{
    for (state const does : {state::runs, state::blocks})
    {
        watched w(50us, true);
        w.now.observes = w.now.knows_file = false;
        w.now.thread = state::polls;
        w.now.inside.told = true;
        w.task(activity::unknown);
        w.check(true);
        w.now.thread = does;
        for (int i = 0; i != 1000; ++i)
        {
            w.check();
            BOOST_REQUIRE(!w.sleeps());
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
