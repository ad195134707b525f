// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Functions that an event_loop was to run later, and that are cancelled.

#include <asio_ewyk/loop/event_loop.hpp>
#include <asio_ewyk/loop/scheduled_task.hpp>

#include "../pool_support.hpp"

#include <algorithm>
#include <memory>

BOOST_AUTO_TEST_SUITE(scheduled_task_cancel)

namespace {

using namespace support;

BOOST_AUTO_TEST_CASE(cancelled_before_its_time)
{
    census c;
    std::atomic<int> elsewhere{0};
    ewyk::event_loop loop;
    struct witness
    {
        ewyk::event_loop& loop;
        std::atomic<int>& elsewhere;
        ~witness() { elsewhere += !loop.in_event_loop(); }
    };
    auto const function = [&] {
        return [r = resident(c), w = std::shared_ptr<witness>(new witness{loop, elsewhere})] {
            r();
        };
    };
    std::vector<ewyk::scheduled_task> const tasks{loop.schedule(24h, function()),
        loop.schedule_at_fixed_rate(24h, 1ms, function()),
        loop.schedule_with_fixed_delay(24h, 1ms, function())};
    for (auto const& task : tasks)
    {
        BOOST_TEST(!task.cancelled());
        BOOST_TEST(!task.done());
        BOOST_TEST(task.cancel());
        BOOST_TEST(task.cancelled());
        BOOST_TEST(!task.cancel());
        BOOST_TEST(eventually([&] { return task.done(); }));
        BOOST_TEST(task.cancelled());
    }
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.destroyed == c.made);
    BOOST_TEST(elsewhere == 0); // what belongs to the loop is destroyed on its thread
}

// The first one that runs cancels the other one, whose time has come as well.
BOOST_AUTO_TEST_CASE(cancelled_when_it_was_due_already)
{
    std::atomic<int> prevented{0};
    event done;
    ewyk::event_loop loop;
    bool ran = false;
    ewyk::scheduled_task task;
    asio::post(loop, [&] {
        loop.schedule(0ms, [&] { prevented += task.cancel(); });
        task = loop.schedule(1ms, [&] { ran = true; });
        loop.schedule(2ms, [&] { done.set(); });
        std::this_thread::sleep_for(3ms); // so that they are
    });
    BOOST_TEST(done.wait());
    BOOST_TEST(prevented == 1);
    BOOST_TEST(!ran);
    BOOST_TEST(eventually([&] { return task.done(); }));
}

BOOST_AUTO_TEST_CASE(cancelled_by_its_own_function)
{
    std::atomic<int> ran{0};
    std::atomic<int> prevented{0};
    event later;
    ewyk::event_loop loop;
    ewyk::scheduled_task once;
    ewyk::scheduled_task rate;
    ewyk::scheduled_task delay;
    asio::post(loop, [&] {
        once = loop.schedule(0ms, [&] {
            ++ran;
            prevented += 100 * once.cancel(); // it is too late
        });
        rate = loop.schedule_at_fixed_rate(0ms, 1ns, [&] {
            ++ran;
            prevented += rate.cancel();
            prevented += 100 * rate.cancel();
        });
        delay = loop.schedule_with_fixed_delay(0ms, 1ns, [&] {
            ++ran;
            prevented += delay.cancel();
        });
    });
    asio::post(loop, [&] { loop.schedule(2ms, [&] { later.set(); }); });
    BOOST_TEST(later.wait());
    BOOST_TEST(ran == 3);
    BOOST_TEST(prevented == 2);
    BOOST_TEST(eventually([&] { return once.done() && rate.done() && delay.done(); }));
    BOOST_TEST(!once.cancelled());
    BOOST_TEST(rate.cancelled());
    BOOST_TEST(delay.cancelled());
}

BOOST_AUTO_TEST_CASE(cancelled_while_it_runs)
{
    for (bool const series : {false, true})
    {
        event running;
        event release;
        std::atomic<int> ran{0};
        ewyk::event_loop loop;
        auto const function = [&] {
            ++ran;
            running.set();
            release.wait();
        };
        auto const task = series ? loop.schedule_at_fixed_rate(0ms, 1ms, function)
                                 : loop.schedule(0ms, function);
        BOOST_TEST_REQUIRE(running.wait());
        BOOST_TEST(task.cancel() == series);
        BOOST_TEST(task.cancelled() == series);
        BOOST_TEST(!task.done());
        BOOST_TEST(!task.cancel());
        release.set();
        BOOST_TEST(eventually([&] { return task.done(); }));
        BOOST_TEST(ran == 1);
    }
}

// A caller that is told that it was prevented can count on it; told otherwise, as well.
BOOST_AUTO_TEST_CASE(cancel_races_with_the_run)
{
    ewyk::event_loop loop;
    for (int i = 0; i != 2000; ++i)
    {
        std::atomic<int> ran{0};
        auto const once = loop.schedule(0ms, [&] { ++ran; });
        std::atomic<int> series_ran{0};
        auto const series = loop.schedule_at_fixed_rate(0ms, 1us, [&] { ++series_ran; });
        if (i % 3 == 0)
            std::this_thread::yield();
        bool const prevented = once.cancel();
        BOOST_TEST_REQUIRE(series.cancel());
        BOOST_TEST_REQUIRE(soon([&] { return once.done() && series.done(); }));
        BOOST_TEST_REQUIRE(ran == !prevented);
        BOOST_TEST_REQUIRE(once.cancelled() == prevented);
    }
}

BOOST_AUTO_TEST_CASE(of_several_threads)
{
    constexpr int each = 300;
    census c;
    overlap serial;
    std::atomic<int> prevented{0};
    {
        ewyk::event_loop loop;
        std::vector<std::thread> threads;
        for (int t = 0; t != 4; ++t)
            threads.emplace_back([&] {
                std::vector<ewyk::scheduled_task> tasks;
                for (int i = 0; i != each; ++i)
                    tasks.push_back(
                        loop.schedule(std::chrono::microseconds(i), [&, r = resident(c)] {
                            serial.enter();
                            r();
                            serial.leave();
                        }));
                for (auto const& task : tasks)
                    prevented += task.cancel();
                LOCKED_TEST(eventually([&] {
                    return std::all_of(
                        tasks.begin(), tasks.end(), [](auto const& task) { return task.done(); });
                }));
            });
        for (auto& t : threads)
            t.join();
    }
    BOOST_TEST(c.ran + prevented == 4 * each);
    BOOST_TEST(c.destroyed == c.made);
    BOOST_TEST(!serial.seen());
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
