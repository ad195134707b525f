// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What becomes of tasks when their event_loop ends: none waits for the loop's destructor.

#include <asio_ewyk/loop/event_loop_group.hpp>

#include "../pool_support.hpp"

#include <future>
#include <latch>
#include <memory>

BOOST_AUTO_TEST_SUITE(event_loop_end)

namespace {

using namespace support;

bool is_ready(std::future<void>& f)
{
    return f.wait_for(patience) == std::future_status::ready;
}

bool is_broken(std::future<void>& f)
{
    try
    {
        if (is_ready(f))
            f.get();
        return false;
    }
    catch (std::future_error const&)
    {
        // The only one that there can be. ThreadSanitizer does not see that the exception, whose
        // code would be read, is released by the standard library.
        return true;
    }
}

std::future<void> post_to(ewyk::event_loop& loop)
{
    return asio::post(loop, asio::use_future([] {}));
}

// A loop with a handler that runs until release.set().
struct busy_loop
{
    busy_loop()
    {
        asio::post(loop, [this] {
            running.set();
            release.wait();
        });
        BOOST_TEST_REQUIRE(running.wait());
    }

    event running;
    event release;
    ewyk::event_loop loop;
};

BOOST_AUTO_TEST_CASE(stop_destroys_what_waits)
{
    busy_loop busy;
    std::future<void> waits = post_to(busy.loop);
    busy.loop.stop();
    std::future<void> late = post_to(busy.loop);
    BOOST_TEST(is_broken(late));
    busy.release.set();
    BOOST_TEST(is_broken(waits));
}

BOOST_AUTO_TEST_CASE(so_does_the_timeout)
{
    busy_loop busy;
    std::future<void> waits = post_to(busy.loop);
    BOOST_TEST(!busy.loop.shutdown_gracefully(0ms, 1ms));
    busy.release.set();
    BOOST_TEST(is_broken(waits));
}

// It is not known before which tasks the loop ends, but each is run or destroyed.
BOOST_AUTO_TEST_CASE(what_comes_meanwhile_is_run_or_destroyed)
{
    for (int i = 0; i != 300; ++i)
    {
        ewyk::event_loop loop;
        loop.start();
        constexpr int threads = 2;
        std::latch begin(threads + 1);
        std::vector<std::future<void>> futures[threads];
        std::vector<std::thread> posters;
        for (auto& mine : futures)
            posters.emplace_back([&] {
                begin.arrive_and_wait();
                for (int n = 0; n != 100; ++n)
                    mine.push_back(post_to(loop));
            });
        begin.arrive_and_wait();
        if (i % 3 == 0)
            loop.stop();
        else
            BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
        for (auto& t : posters)
            t.join();
        for (auto& of_thread : futures)
            for (auto& f : of_thread)
                BOOST_TEST_REQUIRE(is_ready(f));
    }
}

// All that was accepted before the end is run, which is seen by a task that comes after it.
BOOST_AUTO_TEST_CASE(what_comes_before_the_end_is_run)
{
    for (int i = 0; i != 300; ++i)
    {
        std::latch begin(2);
        ewyk::event_loop loop;
        loop.start();
        std::vector<std::future<void>> futures;
        std::thread poster([&] {
            begin.arrive_and_wait();
            for (int n = 0; n != 100; ++n)
                futures.push_back(post_to(loop));
        });
        begin.arrive_and_wait();
        BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
        poster.join();
        bool ended = false;
        for (auto& f : futures)
        {
            bool const broken = is_broken(f);
            BOOST_TEST_REQUIRE((broken || !ended));
            ended = broken;
        }
    }
}

// Each loop's handler waits for a task of the other, which no thread will run.
BOOST_AUTO_TEST_CASE(loops_of_a_group_wait_for_each_other)
{
    std::atomic<int> broken{0};
    event running[2];
    event posted[2];
    {
        ewyk::event_loop_group group(2);
        for (std::size_t i = 0; i != 2; ++i)
            asio::post(group[i], [&, i] {
                running[i].set();
                running[1 - i].wait();
                std::future<void> f = post_to(group[1 - i]);
                posted[i].set();
                // One of the two has to go on first.
                if (i == 0)
                    eventually([&] { return group[0].stopped(); });
                else
                    broken += is_broken(f);
            });
        for (event& e : posted)
            BOOST_TEST_REQUIRE(e.wait());
    }
    BOOST_TEST(broken == 1);
}

BOOST_AUTO_TEST_CASE(exceptions_of_the_last_tasks_are_told)
{
    for (int i = 0; i != 100; ++i)
    {
        std::atomic<int> thrown{0};
        std::atomic<int> ran{0};
        ewyk::event_loop loop({.on_exception = [&](std::exception_ptr) { ++thrown; }});
        loop.start();
        std::thread poster([&] {
            for (int n = 0; n != 100; ++n)
                asio::post(loop, [&] {
                    ++ran;
                    throw std::runtime_error("as planned");
                });
        });
        BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
        poster.join();
        BOOST_TEST(thrown == ran);
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
