// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// How an event_loop ends.

#include <asio_ewyk/loop/event_loop_group.hpp>

#include "../pool_support.hpp"

#include <functional>
#include <latch>
#include <memory>

BOOST_AUTO_TEST_SUITE(event_loop_shutdown)

namespace {

using namespace support;
using std::chrono::steady_clock;

BOOST_AUTO_TEST_CASE(of_a_loop_that_never_began)
{
    ewyk::event_loop loop;
    BOOST_TEST(!loop.terminated());
    BOOST_TEST(loop.shutdown_gracefully(1h, 1h));
    BOOST_TEST(loop.terminated());
    ewyk::event_loop other;
    other.stop();
    BOOST_TEST(other.terminated());
}

BOOST_AUTO_TEST_CASE(what_waits_is_run_before)
{
    int ran = 0;
    ewyk::event_loop loop;
    for (int i = 0; i != 1000; ++i)
        asio::post(loop, [&] { ++ran; });
    BOOST_TEST(loop.shutdown_gracefully(1ms, patience));
    BOOST_TEST(loop.terminated());
    BOOST_TEST(ran == 1000);
}

// Whenever tasks come, none has run for that long when the loop ends.
BOOST_AUTO_TEST_CASE(a_task_begins_another_quiet_period)
{
    constexpr auto quiet = 20ms;
    std::atomic<int> ran{0};
    ewyk::event_loop loop;
    std::atomic<steady_clock::time_point> last{steady_clock::now()};
    std::thread poster([&] {
        for (int i = 0; i != 30 && !loop.terminated(); ++i)
        {
            asio::post(loop, [&] {
                last = steady_clock::now();
                ++ran;
            });
            std::this_thread::sleep_for(2ms); // a pace; nothing below counts on it
        }
    });
    loop.start();
    BOOST_TEST(loop.shutdown_gracefully(quiet, patience));
    BOOST_TEST((steady_clock::now() - last.load() >= quiet));
    poster.join();
}

// From the last task, whenever that came. Again if a thread was held up.
BOOST_AUTO_TEST_CASE(the_quiet_period_is_no_longer)
{
    constexpr auto quiet = 200ms;
    for (bool const scheduled : {false, true})
    {
        auto const in_time = [&] {
            std::atomic<steady_clock::time_point> last{};
            auto const task = [&] { last = steady_clock::now(); };
            ewyk::event_loop loop;
            loop.start();
            if (scheduled)
                loop.schedule(20ms, task);
            auto ended = loop.async_shutdown_gracefully(quiet, patience, asio::use_future);
            std::this_thread::sleep_for(20ms);
            if (!scheduled)
                asio::post(loop, task);
            BOOST_CHECK_NO_THROW(ended.get());
            auto const taken = steady_clock::now() - last.load();
            BOOST_TEST((taken >= quiet));
            return taken < quiet * 3 / 2;
        };
        BOOST_TEST(eventually(in_time));
    }
}

BOOST_AUTO_TEST_CASE(the_timeout_ends_it_although_tasks_come)
{
    ewyk::event_loop loop;
    std::function<void()> again = [&] { asio::post(loop, again); };
    asio::post(loop, again);
    auto const begin = steady_clock::now();
    // The end comes at the timeout, and so may be seen just after it.
    loop.shutdown_gracefully(10ms, 30ms);
    BOOST_TEST((steady_clock::now() - begin >= 30ms));
    BOOST_TEST(eventually([&] { return loop.terminated(); }));
}

BOOST_AUTO_TEST_CASE(a_handler_that_is_stuck_ends_at_the_timeout)
{
    event release;
    event running;
    ewyk::event_loop loop;
    bool another = false;
    asio::post(loop, [&] {
        running.set();
        release.wait();
    });
    asio::post(loop, [&] { another = true; });
    BOOST_TEST_REQUIRE(running.wait());
    BOOST_TEST(!loop.shutdown_gracefully(1ms, 10ms));
    BOOST_TEST(!loop.terminated());
    release.set();
    BOOST_TEST(eventually([&] { return loop.terminated(); }));
    BOOST_TEST(!another);
}

BOOST_AUTO_TEST_CASE(by_a_handler_of_its_own)
{
    ewyk::event_loop loop;
    std::atomic<int> result{-1};
    asio::post(loop, [&] { result = loop.shutdown_gracefully(0ms, 1h); });
    BOOST_TEST(eventually([&] { return loop.terminated(); }));
    BOOST_TEST(result == 0);
}

// In nanoseconds these do not fit into 64 bits.
BOOST_AUTO_TEST_CASE(long_times)
{
    using std::chrono::hours;
    auto const waits = [](auto shut_down, auto timeout) {
        ewyk::event_loop_group group(1);
        bool ran = false;
        // For longer than a deadline in the past waits.
        asio::post(group[0], [] { std::this_thread::sleep_for(20ms); });
        asio::post(group[0], [&] { ran = true; });
        BOOST_TEST(shut_down(group, timeout));
        BOOST_TEST(ran);
    };
    auto const all = [](auto& group, auto t) { return group.shutdown_gracefully(1ms, t); };
    auto const one = [](auto& group, auto t) { return group[0].shutdown_gracefully(1ms, t); };
    waits(all, hours::max());
    waits(all, std::chrono::duration<double>(1e300));
    waits(one, hours::max());
    waits(one, std::chrono::seconds::max());

    auto const ends = [](auto quiet_period, auto timeout) {
        ewyk::event_loop loop;
        loop.start();
        auto const begin = steady_clock::now();
        loop.shutdown_gracefully(quiet_period, timeout);
        BOOST_TEST(eventually([&] { return loop.terminated(); }));
        return steady_clock::now() - begin;
    };
    BOOST_TEST((ends(hours::max(), 30ms) >= 30ms));
    ends(hours::max(), hours::min());
    ends(hours::min(), hours::max());
}

BOOST_AUTO_TEST_CASE(long_times_of_asynchronous_ones)
{
    constexpr auto hours = std::chrono::hours::max();
    ewyk::event_loop_group group(2);
    for (ewyk::event_loop& loop : group)
        asio::post(loop, [] { std::this_thread::sleep_for(20ms); });
    BOOST_CHECK_NO_THROW(group[0].async_shutdown_gracefully(1ms, hours, asio::use_future).get());
    BOOST_CHECK_NO_THROW(group.async_shutdown_gracefully(1ms, hours, asio::use_future).get());
}

// It would wait for itself.
BOOST_AUTO_TEST_CASE(by_its_hook)
{
    std::atomic<int> result{-1};
    ewyk::event_loop* self = nullptr;
    ewyk::event_loop loop(
        {.on_exception = [&](std::exception_ptr) { result = self->shutdown_gracefully(0ms, 1h); }});
    self = &loop;
    asio::post(loop, [] { throw std::runtime_error("as planned"); });
    BOOST_TEST(eventually([&] { return loop.terminated(); }));
    BOOST_TEST(result == 0);
}

// A caller that waits less long gives up; the loop does not.
BOOST_AUTO_TEST_CASE(the_first_call_says_when)
{
    event release;
    event running;
    bool ran = false;
    ewyk::event_loop loop;
    asio::post(loop, [&] {
        loop.shutdown_gracefully(1ms, patience);
        running.set();
        release.wait();
    });
    asio::post(loop, [&] { ran = true; });
    BOOST_TEST_REQUIRE(running.wait());
    BOOST_TEST(!loop.shutdown_gracefully(0ms, 0ms));
    release.set();
    BOOST_TEST(eventually([&] { return loop.terminated(); }));
    BOOST_TEST(ran);
}

BOOST_AUTO_TEST_CASE(by_several_threads)
{
    std::atomic<int> ended{0};
    ewyk::event_loop loop;
    loop.start();
    std::vector<std::thread> threads;
    for (int i = 0; i != 3; ++i)
        threads.emplace_back([&] { ended += loop.shutdown_gracefully(1ms, patience); });
    for (auto& t : threads)
        t.join();
    BOOST_TEST(ended == 3);
}

BOOST_AUTO_TEST_CASE(what_comes_afterwards_is_destroyed)
{
    census c;
    {
        ewyk::event_loop loop;
        asio::steady_timer timer(loop, 24h);
        timer.async_wait([r = std::make_shared<resident>(c)](auto) {});
        loop.start();
        BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
        for (int i = 0; i != 10; ++i)
        {
            BOOST_CHECK_NO_THROW(asio::post(loop, resident(c)));
            BOOST_CHECK_NO_THROW(asio::dispatch(loop, resident(c)));
            BOOST_CHECK_NO_THROW(asio::defer(loop, resident(c)));
        }
        BOOST_TEST(c.destroyed == c.made - 1);
    }
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.destroyed == c.made);
}

// Each is run or destroyed, once, also where both are under way.
BOOST_AUTO_TEST_CASE(races_with_submitters)
{
    for (int i = 0; i != 100; ++i)
    {
        census c;
        {
            std::latch begin(3);
            ewyk::event_loop loop;
            std::vector<std::thread> threads;
            for (int t = 0; t != 2; ++t)
                threads.emplace_back([&] {
                    begin.arrive_and_wait();
                    for (int n = 0; n != 50; ++n)
                        asio::post(loop, resident(c));
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
    }
}

// Handlers that are destroyed unrun may submit more.
BOOST_AUTO_TEST_CASE(handlers_that_post_when_they_are_destroyed)
{
    std::atomic<int> destroyed{0};
    {
        event release;
        event running;
        ewyk::event_loop loop;
        struct poster
        {
            ewyk::event_loop& loop;
            std::atomic<int>& destroyed;
            ~poster()
            {
                asio::post(loop, [] {});
                ++destroyed;
            }
        };
        asio::post(loop, [&] {
            running.set();
            release.wait();
        });
        BOOST_TEST_REQUIRE(running.wait());
        asio::steady_timer timer(loop, 24h);
        auto const make = [&] { return std::shared_ptr<poster>(new poster{loop, destroyed}); };
        timer.async_wait([p = make()](auto) {});
        asio::post(loop, [p = make()] {});
        loop.stop();
        release.set();
    }
    BOOST_TEST(destroyed == 2);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
