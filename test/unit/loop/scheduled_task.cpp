// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Functions that an event_loop runs later.

#include <asio_ewyk/loop/event_loop.hpp>
#include <asio_ewyk/loop/event_loop_group.hpp>
#include <asio_ewyk/loop/scheduled_task.hpp>

#include "../pool_support.hpp"

#include <memory>
#include <set>
#include <stdexcept>
#include <string>

BOOST_AUTO_TEST_SUITE(scheduled_task)

namespace {

using namespace support;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

BOOST_AUTO_TEST_CASE(runs_once_not_before_its_time)
{
    event ran;
    ewyk::event_loop loop;
    bool inside = false;
    steady_clock::time_point at;
    auto const begin = steady_clock::now();
    ewyk::scheduled_task const task = loop.schedule(20ms, [&] {
        at = steady_clock::now();
        inside = loop.in_event_loop();
        ran.set();
    });
    BOOST_TEST(ran.wait());
    BOOST_TEST(inside);
    BOOST_TEST((at - begin >= 20ms));
    BOOST_TEST(eventually([&] { return task.done(); }));
    BOOST_TEST(!task.cancelled());
    BOOST_TEST(!task.cancel());
}

BOOST_AUTO_TEST_CASE(goes_on_without_its_handle)
{
    gathering runs;
    ewyk::event_loop loop;
    loop.schedule(1ms, [&] { runs.arrive(); });
    loop.schedule_at_fixed_rate(1ms, 1ms, [&] { runs.arrive(); });
    loop.schedule_with_fixed_delay(1ms, 1ms, [&] { runs.arrive(); });
    BOOST_TEST(runs.wait_for(10));
}

BOOST_AUTO_TEST_CASE(a_handle_of_no_task)
{
    ewyk::scheduled_task const none;
    BOOST_TEST(none.cancelled());
    BOOST_TEST(none.done());
    BOOST_TEST(!none.cancel());
}

// Again if the thread was held up, as then they are due in another order.
BOOST_AUTO_TEST_CASE(the_one_that_is_due_first_runs_first)
{
    std::string order;
    auto const in_time = [&] {
        order.clear();
        bool quick = false;
        event done;
        ewyk::event_loop loop;
        asio::post(loop, [&] {
            auto const begin = steady_clock::now();
            loop.schedule(6ms, [&] {
                order += 'd';
                done.set();
            });
            loop.schedule(2ms, [&] { order += 'b'; });
            loop.schedule(4ms, [&] { order += 'c'; });
            loop.schedule(nanoseconds::min(), [&] { order += 'a'; });
            quick = steady_clock::now() - begin < 2ms;
        });
        BOOST_TEST(done.wait());
        return quick;
    };
    BOOST_TEST(eventually(in_time));
    BOOST_TEST(order == "abcd");
}

// Run number n is due n periods after the first, however late those before it were.
BOOST_AUTO_TEST_CASE(at_a_fixed_rate)
{
    constexpr auto period = 3ms;
    gathering runs;
    ewyk::event_loop loop;
    bool early = false;
    int n = 0;
    auto const first = steady_clock::now() + 5ms;
    auto const task = loop.schedule_at_fixed_rate(5ms, period, [&] {
        early = early || steady_clock::now() < first + n++ * period;
        runs.arrive();
    });
    BOOST_TEST(runs.wait_for(10));
    BOOST_TEST(task.cancel());
    BOOST_TEST(eventually([&] { return task.done(); }));
    BOOST_TEST(!early);
}

BOOST_AUTO_TEST_CASE(with_a_fixed_delay)
{
    constexpr auto delay = 3ms;
    gathering runs;
    ewyk::event_loop loop;
    bool early = false;
    auto returned = steady_clock::now();
    auto const task = loop.schedule_with_fixed_delay(delay, delay, [&] {
        early = early || steady_clock::now() - returned < delay;
        std::this_thread::sleep_for(2ms); // takes its time
        runs.arrive();
        returned = steady_clock::now();
    });
    BOOST_TEST(runs.wait_for(5));
    BOOST_TEST(task.cancel());
    BOOST_TEST(eventually([&] { return task.done(); }));
    BOOST_TEST(!early);
}

// As many runs as there were periods, and one begins before the next is due again: so they have
// caught up. What is posted in the first one gets its turn among them.
BOOST_AUTO_TEST_CASE(runs_that_were_missed_follow)
{
    constexpr auto period = 10ms;
    event caught_up;
    ewyk::event_loop loop;
    overlap serial;
    int n = 0;
    int runs_before_other = 0;
    auto const first = steady_clock::now();
    auto const task = loop.schedule_at_fixed_rate(0ms, period, [&] {
        serial.enter();
        if (++n == 1)
        {
            asio::post(loop, [&] { runs_before_other = n; });
            std::this_thread::sleep_for(10 * period);
        }
        else if (steady_clock::now() < first + n * period)
            caught_up.set();
        serial.leave();
    });
    BOOST_TEST(caught_up.wait());
    BOOST_TEST(task.cancel());
    BOOST_TEST(eventually([&] { return task.done(); }));
    BOOST_TEST(n > 10);
    BOOST_TEST(runs_before_other >= 1);
    BOOST_TEST(runs_before_other <= 2);
    BOOST_TEST(!serial.seen());
}

// A series that is always late is no reason to do nothing else.
BOOST_AUTO_TEST_CASE(one_that_cannot_keep_up_stops_nobody)
{
    std::atomic<int> runs{0};
    event task_ran;
    event timer_fired;
    ewyk::event_loop loop;
    auto const task = loop.schedule_at_fixed_rate(0ms, 1ns, [&] { ++runs; });
    BOOST_TEST(eventually([&] { return runs > 10; }));
    asio::post(loop, [&] { task_ran.set(); });
    BOOST_TEST(task_ran.wait());
    asio::steady_timer timer(loop, 1ms);
    timer.async_wait([&](auto) { timer_fired.set(); });
    BOOST_TEST(timer_fired.wait());
    BOOST_TEST(task.cancel());
    BOOST_TEST(eventually([&] { return task.done(); }));
}

BOOST_AUTO_TEST_CASE(one_that_throws_does_not_run_again)
{
    catcher caught;
    census c;
    std::atomic<int> ran{0};
    event later;
    ewyk::event_loop loop({.on_exception = [&](std::exception_ptr e) { caught(e); }});
    std::vector<ewyk::scheduled_task> const tasks{
        loop.schedule(0ms,
            [&, r = resident(c)] {
                ++ran;
                throw std::runtime_error("once");
            }),
        loop.schedule_at_fixed_rate(0ms, 1ms,
            [&, r = resident(c)] {
                ++ran;
                throw std::runtime_error("rate");
            }),
        loop.schedule_with_fixed_delay(0ms, 1ms, [&, r = resident(c)] {
            ++ran;
            throw std::runtime_error("delay");
        })};
    BOOST_TEST(caught.wait_for(3).size() == 3u);
    for (auto const& task : tasks)
    {
        BOOST_TEST(task.done());
        BOOST_TEST(!task.cancelled());
        BOOST_TEST(!task.cancel());
    }
    BOOST_TEST(c.destroyed == c.made);
    loop.schedule(5ms, [&] { later.set(); });
    BOOST_TEST(later.wait());
    BOOST_TEST(ran == 3);
}

template <class F>
concept may_be_a_series = requires(ewyk::event_loop& loop, F f) {
    loop.schedule_at_fixed_rate(0ms, 1ms, std::move(f));
    loop.schedule_with_fixed_delay(0ms, 1ms, std::move(f));
};

// Once it may be used up by its run; in a series it may not.
BOOST_AUTO_TEST_CASE(a_function_that_can_only_be_moved)
{
    struct consumed
    {
        event& ran;
        std::unique_ptr<int> owned = std::make_unique<int>(1);
        void operator()() && { ran.set(); }
    };
    static_assert(!may_be_a_series<consumed>);
    static_assert(may_be_a_series<void (*)()>);
    event ran;
    gathering runs;
    ewyk::event_loop loop;
    loop.schedule(0ms, consumed{ran});
    BOOST_TEST(ran.wait());
    loop.schedule_at_fixed_rate(0ms, 1ms, [&, n = std::make_unique<int>(0)]() mutable {
        if (++*n <= 3)
            runs.arrive();
    });
    BOOST_TEST(runs.wait_for(3));
}

BOOST_AUTO_TEST_CASE(a_time_that_the_clock_does_not_reach)
{
    event first;
    std::atomic<int> ran{0};
    event later;
    ewyk::event_loop loop;
    ewyk::event_loop_group group(1);
    std::vector<ewyk::scheduled_task> const tasks{
        loop.schedule(nanoseconds::max(), [&] { ++ran; }),
        loop.schedule_at_fixed_rate(nanoseconds::max(), nanoseconds::max(), [&] { ++ran; }),
        loop.schedule_at_fixed_rate(0ms, nanoseconds::max(), [&] { first.set(); }),
        loop.schedule_with_fixed_delay(0ms, nanoseconds::max(), [&] { ++ran; }),
        loop.schedule(std::chrono::seconds::max(), [&] { ++ran; }),
        loop.schedule(std::chrono::duration<float>(1e30f), [&] { ++ran; }),
        group.next().schedule(std::chrono::hours::max(), [&] { ++ran; }),
        group.next().schedule_at_fixed_rate(
            std::chrono::hours::max(), std::chrono::hours::max(), [&] { ++ran; }),
        group.next().schedule_with_fixed_delay(1h, std::chrono::hours::max(), [&] { ++ran; })};
    BOOST_TEST(first.wait());
    loop.schedule(2ms, [&] { later.set(); });
    BOOST_TEST(later.wait());
    for (auto const& task : tasks)
    {
        BOOST_TEST(task.cancel());
        BOOST_TEST(eventually([&] { return task.done(); }));
    }
    BOOST_TEST(ran == 1);
}

bool names_period(std::invalid_argument const& e)
{
    return std::string(e.what()).starts_with("event_loop::schedule_at_fixed_rate: period must be");
}

bool names_delay(std::invalid_argument const& e)
{
    return std::string(e.what()).starts_with("event_loop::schedule_with_fixed_delay: delay must be");
}

BOOST_AUTO_TEST_CASE(a_period_that_is_none)
{
    std::atomic<int> started{0};
    ewyk::event_loop loop({.on_thread_start = [&] { ++started; }});
    for (nanoseconds const none : {nanoseconds(0), nanoseconds(-1), nanoseconds::min()})
    {
        BOOST_CHECK_EXCEPTION(
            loop.schedule_at_fixed_rate(0ms, none, [] {}), std::invalid_argument, names_period);
        BOOST_CHECK_EXCEPTION(
            loop.schedule_with_fixed_delay(0ms, none, [] {}), std::invalid_argument, names_delay);
    }
    BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
    BOOST_TEST(started == 0);
}

// A limit on tasks is one on what waits for its turn, not on what waits for its time.
BOOST_AUTO_TEST_CASE(is_not_refused_where_tasks_are)
{
    event running;
    event release;
    event ran;
    ewyk::event_loop loop({.max_pending_tasks = 1});
    asio::post(loop, [&] {
        running.set();
        release.wait();
    });
    BOOST_TEST_REQUIRE(running.wait());
    asio::post(loop, [] {});
    BOOST_CHECK_THROW(asio::post(loop, [] {}), ewyk::queue_full_error);
    BOOST_CHECK_NO_THROW(loop.schedule(0ms, [&] { ran.set(); }));
    release.set();
    BOOST_TEST(ran.wait());
}

BOOST_AUTO_TEST_CASE(in_a_group)
{
    std::mutex mutex;
    gathering runs;
    ewyk::event_loop_group group(3);
    std::set<std::thread::id> threads;
    auto const function = [&] {
        {
            std::lock_guard const lock(mutex);
            threads.insert(std::this_thread::get_id());
        }
        runs.arrive();
    };
    group.next().schedule(0ms, function);
    group.next().schedule_at_fixed_rate(0ms, 24h, function);
    group.next().schedule_with_fixed_delay(0ms, 24h, function);
    BOOST_TEST(runs.wait_for(3));
    BOOST_TEST(group.shutdown_gracefully(0ms, patience));
    BOOST_TEST(threads.size() == 3u);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
