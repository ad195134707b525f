// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What becomes of scheduled functions when their event_loop ends.

#include <asio_ewyk/loop/event_loop.hpp>
#include <asio_ewyk/loop/scheduled_task.hpp>

#include "../pool_support.hpp"

#include <algorithm>
#include <array>
#include <latch>
#include <memory>

BOOST_AUTO_TEST_SUITE(scheduled_task_end)

namespace {

using namespace support;
using std::chrono::steady_clock;

// Neither does it keep the loop alive.
BOOST_AUTO_TEST_CASE(what_is_not_due_is_cancelled)
{
    census c;
    ewyk::event_loop loop;
    std::vector<ewyk::scheduled_task> const tasks{loop.schedule(24h, resident(c)),
        loop.schedule_at_fixed_rate(24h, 24h, resident(c)),
        loop.schedule_with_fixed_delay(24h, 24h, resident(c))};
    BOOST_TEST(loop.shutdown_gracefully(1ms, patience));
    for (auto const& task : tasks)
    {
        BOOST_TEST(task.cancelled());
        BOOST_TEST(task.done());
        BOOST_TEST(!task.cancel());
    }
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.destroyed == c.made);
}

// It is a task like any other when it runs.
BOOST_AUTO_TEST_CASE(what_is_due_in_the_quiet_period_begins_another)
{
    constexpr auto quiet = 30ms;
    ewyk::event_loop loop;
    loop.start();
    steady_clock::time_point first;
    steady_clock::time_point second;
    loop.schedule(quiet / 2, [&] {
        first = steady_clock::now();
        loop.schedule(quiet / 2, [&] { second = steady_clock::now(); });
    });
    BOOST_TEST(loop.shutdown_gracefully(quiet, patience));
    auto const end = steady_clock::now();
    BOOST_TEST_REQUIRE((second != steady_clock::time_point()));
    BOOST_TEST((second - first >= quiet / 2));
    BOOST_TEST((end - second >= quiet));
}

// Each run submits a task, which would begin another quiet period for ever.
BOOST_AUTO_TEST_CASE(series_end_when_the_shutdown_begins)
{
    gathering runs;
    ewyk::event_loop loop;
    auto const heartbeat = [&] { asio::post(loop, [&] { runs.arrive(); }); };
    auto const rate = loop.schedule_at_fixed_rate(0ms, 1ms, heartbeat);
    auto const delay = loop.schedule_with_fixed_delay(0ms, 1ms, heartbeat);
    BOOST_TEST(runs.wait_for(5));
    BOOST_TEST(loop.shutdown_gracefully(100ms, patience));
    BOOST_TEST(rate.cancelled());
    BOOST_TEST(delay.cancelled());
}

BOOST_AUTO_TEST_CASE(a_series_that_comes_in_the_quiet_period)
{
    ewyk::event_loop loop;
    census c;
    ewyk::scheduled_task series;
    bool once = false;
    asio::post(loop, [&] {
        loop.shutdown_gracefully(10ms, patience);
        // After what has just begun the shutdown, and not as a task.
        asio::post(static_cast<asio::io_context&>(loop).get_executor(), [&] {
            series = loop.schedule_at_fixed_rate(0ms, 1ms, resident(c));
            once = loop.schedule(0ms, [] {}).cancelled();
        });
    });
    BOOST_TEST(eventually([&] { return loop.terminated(); }));
    BOOST_TEST(series.cancelled());
    BOOST_TEST(series.done());
    BOOST_TEST(!once);
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.destroyed == c.made);
}

BOOST_AUTO_TEST_CASE(what_comes_after_the_end_is_destroyed)
{
    census c;
    ewyk::event_loop ended;
    ended.start();
    BOOST_TEST(ended.shutdown_gracefully(0ms, patience));
    ewyk::event_loop never_began;
    never_began.stop();
    for (ewyk::event_loop* const loop : {&ended, &never_began})
    {
        std::vector<ewyk::scheduled_task> tasks;
        BOOST_CHECK_NO_THROW(tasks.push_back(loop->schedule(0ms, resident(c))));
        BOOST_CHECK_NO_THROW(
            tasks.push_back(loop->schedule_at_fixed_rate(0ms, 1ms, resident(c))));
        BOOST_CHECK_NO_THROW(
            tasks.push_back(loop->schedule_with_fixed_delay(0ms, 1ms, resident(c))));
        for (auto const& task : tasks)
        {
            BOOST_TEST(task.cancelled());
            BOOST_TEST(task.done());
            BOOST_TEST(!task.cancel());
        }
    }
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.destroyed == c.made);
}

BOOST_AUTO_TEST_CASE(a_handle_outlives_its_loop)
{
    census c;
    ewyk::scheduled_task waits;
    ewyk::scheduled_task ran;
    {
        ewyk::event_loop loop;
        waits = loop.schedule(24h, resident(c));
        ran = loop.schedule(0ms, resident(c));
        BOOST_TEST(eventually([&] { return ran.done(); }));
    }
    BOOST_TEST(c.destroyed == c.made);
    BOOST_TEST(waits.cancelled());
    BOOST_TEST(waits.done());
    BOOST_TEST(!waits.cancel());
    BOOST_TEST(!ran.cancelled());
    BOOST_TEST(ran.done());
}

// The functions use their own handle, each other's and the loop when they are destroyed.
BOOST_AUTO_TEST_CASE(functions_that_do_things_when_they_are_destroyed)
{
    for (bool const cancel : {true, false})
    {
        std::atomic<int> destroyed{0};
        std::atomic<int> accepted{0};
        {
            std::array<ewyk::scheduled_task, 3> tasks;
            event assigned;
            ewyk::event_loop loop;
            struct busy
            {
                ewyk::event_loop& loop;
                std::array<ewyk::scheduled_task, 3>& tasks;
                std::atomic<int>& destroyed;
                std::atomic<int>& accepted;
                ~busy()
                {
                    for (auto const& task : tasks)
                        task.cancel();
                    asio::post(loop, [] {});
                    accepted += !loop.schedule(24h, [] {}).cancelled();
                    ++destroyed;
                }
            };
            auto const make = [&] {
                return [b = std::shared_ptr<busy>(new busy{loop, tasks, destroyed, accepted})] {};
            };
            asio::post(loop, [&] {
                tasks = {loop.schedule(24h, make()), loop.schedule_at_fixed_rate(24h, 1ms, make()),
                    loop.schedule_with_fixed_delay(24h, 1ms, make())};
                assigned.set();
            });
            BOOST_TEST_REQUIRE(assigned.wait());
            if (cancel)
            {
                BOOST_TEST(tasks[0].cancel());
                BOOST_TEST(eventually([&] { return destroyed == 3; }));
                BOOST_TEST(accepted == 3);
            }
            loop.stop();
            BOOST_TEST(eventually([&] { return loop.terminated(); }));
        }
        BOOST_TEST(destroyed == 3);
        BOOST_TEST(accepted == (cancel ? 3 : 0));
    }
}

// Each function is destroyed once, whichever thread is first.
BOOST_AUTO_TEST_CASE(races_with_those_who_schedule_and_cancel)
{
    for (int i = 0; i != 100; ++i)
    {
        census c;
        std::vector<ewyk::scheduled_task> left;
        {
            std::latch begin(3);
            std::mutex mutex;
            ewyk::event_loop loop;
            std::vector<std::thread> threads;
            for (int t = 0; t != 2; ++t)
                threads.emplace_back([&] {
                    begin.arrive_and_wait();
                    for (int n = 0; n != 30; ++n)
                    {
                        auto const once = loop.schedule(std::chrono::microseconds(n), resident(c));
                        auto const series = loop.schedule_at_fixed_rate(0ms, 1us, resident(c));
                        if (n % 2 == 0)
                            series.cancel();
                        std::lock_guard const lock(mutex);
                        left.push_back(once);
                        left.push_back(series);
                    }
                });
            begin.arrive_and_wait();
            if (i % 2 == 0)
                loop.stop();
            else
                loop.shutdown_gracefully(0ms, patience);
            for (auto& t : threads)
                t.join();
        }
        BOOST_TEST(c.destroyed == c.made);
        BOOST_TEST(std::all_of(left.begin(), left.end(), [](auto const& t) { return t.done(); }));
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
