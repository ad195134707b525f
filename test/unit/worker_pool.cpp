// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The threads of a pool: when they come and when they go.

#include "pool_support.hpp"

#include <algorithm>
#include <set>

using namespace support;

BOOST_AUTO_TEST_SUITE(worker_pool)

namespace {

using ewyk::worker_pool_options;

// Counts a pool's threads by its hooks.
struct thread_count
{
    std::atomic<std::size_t> living{0};
    std::atomic<std::size_t> most{0};
    std::atomic<std::size_t> ended{0};

    worker_pool_options counting(worker_pool_options o)
    {
        o.on_thread_start = [this] {
            std::size_t const now = ++living;
            std::size_t before = most;
            while (before < now && !most.compare_exchange_weak(before, now))
            {
            }
        };
        o.on_thread_stop = [this] {
            --living;
            ++ended;
        };
        return o;
    }
};

// When threads come

BOOST_AUTO_TEST_CASE(no_thread_comes_before_it_is_needed)
{
    thread_count threads;
    {
        ewyk::worker_pool pool(threads.counting({.min_threads = 4, .max_threads = 8}));
        auto const tracked =
            asio::require(pool.get_executor(), asio::execution::outstanding_work.tracked);
        BOOST_TEST(pool.threads() == 0u);
        BOOST_TEST(pool.parked_threads() == 0u);
        BOOST_TEST(pool.threads_started() == 0u);
        BOOST_TEST(pool.queued() == 0u);
        BOOST_TEST(pool.start_failures() == 0u);
        pool.stop();
    }
    BOOST_TEST(threads.most == 0u);
}

// Each of them waits for all the others, so each has a thread of its own.
BOOST_AUTO_TEST_CASE(as_many_tasks_run_at_once_as_threads_are_allowed)
{
    constexpr std::size_t most = 6;
    thread_count threads;
    gathering together;
    std::atomic<int> late{0};
    ewyk::worker_pool pool(threads.counting({.max_threads = most}));
    for (std::size_t i = 0; i != most; ++i)
        pool.execute([&] { late += !together.arrive_and_wait_for(most); });
    pool.wait();
    BOOST_TEST(late == 0);
    BOOST_TEST(pool.threads_started() == most);
}

BOOST_AUTO_TEST_CASE(never_more_threads_than_allowed)
{
    constexpr std::size_t most = 3;
    constexpr std::size_t waiting = 50;
    thread_count threads;
    std::atomic<std::size_t> ran{0};
    {
        ewyk::worker_pool pool(threads.counting({.max_threads = most}));
        blockade all(pool, most);
        BOOST_TEST_REQUIRE(all.holds());
        for (std::size_t i = 0; i != waiting; ++i)
            pool.execute([&] { ++ran; });
        BOOST_TEST(pool.threads() == most);
        BOOST_TEST(pool.threads_started() == most);
        BOOST_TEST(pool.parked_threads() == 0u);
        BOOST_TEST(pool.queued() == waiting);
        BOOST_TEST(ran == 0u);
        all.release();
        pool.wait();
        BOOST_TEST(ran == waiting);
        BOOST_TEST(pool.threads_started() == most);
    }
    BOOST_TEST(threads.most <= most);
    BOOST_TEST(threads.living == 0u);
}

// One after the other needs one thread: a parked one is taken before another is started.
BOOST_AUTO_TEST_CASE(a_parked_thread_is_used_again)
{
    ewyk::worker_pool pool({.max_threads = 8});
    std::set<std::thread::id> used;
    for (int i = 0; i != 100; ++i)
    {
        BOOST_TEST_REQUIRE(soon([&] { return pool.parked_threads() == pool.threads(); }));
        event ran;
        pool.execute([&] {
            used.insert(std::this_thread::get_id());
            ran.set();
        });
        BOOST_TEST_REQUIRE(ran.wait());
    }
    BOOST_TEST(pool.threads_started() == 1u);
    BOOST_TEST(used.size() == 1u);
}

BOOST_AUTO_TEST_CASE(tasks_of_one_thread_run_in_order)
{
    constexpr int tasks = 1000;
    std::vector<int> order;
    ewyk::worker_pool pool({.max_threads = 1});
    blockade the_thread(pool, 1);
    for (int i = 0; i != tasks; ++i)
        pool.execute([&order, i] { order.push_back(i); });
    the_thread.release();
    pool.wait();
    BOOST_TEST_REQUIRE(order.size() == static_cast<std::size_t>(tasks));
    BOOST_TEST(std::is_sorted(order.begin(), order.end()));
}

// Many submitters, each task once.
BOOST_AUTO_TEST_CASE(each_task_runs_once)
{
    constexpr std::size_t submitters = 4;
    constexpr std::size_t each = 20000;
    std::vector<std::atomic<unsigned char>> runs(submitters * each);
    ewyk::worker_pool pool({.max_threads = 4});
    std::vector<std::thread> all;
    for (std::size_t s = 0; s != submitters; ++s)
        all.emplace_back([&, s] {
            for (std::size_t i = s * each; i != (s + 1) * each; ++i)
                pool.execute([&runs, i] { ++runs[i]; });
        });
    for (auto& t : all)
        t.join();
    pool.wait();
    BOOST_TEST(std::count(runs.begin(), runs.end(), 1) == static_cast<int>(runs.size()));
}

// When threads go

BOOST_AUTO_TEST_CASE(idle_threads_end_down_to_the_minimum)
{
    for (std::size_t const least : {0u, 1u, 2u})
    {
        thread_count threads;
        gathering together;
        ewyk::worker_pool pool(
            threads.counting({.min_threads = least, .max_threads = 5, .idle_timeout = 1ms}));
        for (int i = 0; i != 5; ++i)
            pool.execute([&] { together.arrive_and_wait_for(5); });
        BOOST_TEST(together.wait_for(5));
        BOOST_TEST(eventually([&] { return threads.ended == 5 - least; }));
        BOOST_TEST(pool.threads() == least);
        BOOST_TEST(eventually([&] { return pool.parked_threads() == least; }));

        // Those that stayed serve, and none is started in their place.
        event ran;
        pool.execute([&] { ran.set(); });
        BOOST_TEST(ran.wait());
        BOOST_TEST(pool.threads_started() == 5u + (least == 0));
    }
}

// Unresponsive after a load spike and an idle time: jetty/jetty.project#3550, #4105, #4612.
BOOST_AUTO_TEST_CASE(spike_after_idle_after_spike)
{
    constexpr std::size_t most = 6;
    for (std::size_t const least : {0u, 1u, 3u})
    {
        ewyk::worker_pool pool(
            {.min_threads = least, .max_threads = most, .reserve = 4, .idle_timeout = 1ms});
        for (int spike = 0; spike != 20; ++spike)
        {
            gathering together;
            std::atomic<int> late{0};
            std::atomic<int> too_many{0};
            for (std::size_t i = 0; i != most; ++i)
                pool.execute([&] {
                    late += !together.arrive_and_wait_for(most);
                    too_many += pool.threads() > most;
                });
            pool.wait();
            BOOST_TEST(late == 0);
            BOOST_TEST(too_many == 0);
            BOOST_TEST_REQUIRE(eventually([&] { return pool.threads() == least; }));
        }
    }
}

// Threads that end and tasks that come at the same time: a task is never left with a thread that
// has just gone. The timeout is so short that threads end all the time.
BOOST_AUTO_TEST_CASE(a_task_that_meets_an_ending_thread_runs)
{
    ewyk::worker_pool pool({.max_threads = 2, .reserve = 1, .idle_timeout = 1ms});
    for (int i = 0; i != 300; ++i)
    {
        event ran;
        pool.execute([&] { ran.set(); });
        BOOST_TEST_REQUIRE(ran.wait());
        // Until about the time when the thread ends, which is what the test is after.
        auto const end = std::chrono::steady_clock::now() + 900us + i % 10 * 25us;
        while (std::chrono::steady_clock::now() < end && pool.threads() != 0)
            std::this_thread::yield();
    }
}

// A thread that ends has its place until its last hook has returned. A task that comes while such
// threads have all places runs when they have ended, beside a thread that lives as well.
BOOST_AUTO_TEST_CASE(a_task_that_finds_only_ending_threads_runs)
{
    event may_end;
    std::atomic<std::size_t> ending{0};
    event last_ran;
    event lives;
    std::atomic<bool> gave_up{false};
    ewyk::worker_pool pool(
        {.max_threads = 2, .reserve = 0, .idle_timeout = 1ms, .on_thread_stop = [&] {
             ++ending;
             may_end.wait();
         }});
    pool.execute([&] {
        lives.set();
        gave_up = !last_ran.wait();
    });
    BOOST_TEST_REQUIRE(lives.wait());
    // Twice max_threads places: one has the thread that lives.
    for (std::size_t i = 1; i != 4; ++i)
    {
        pool.execute([] {});
        BOOST_TEST_REQUIRE(eventually([&] { return ending == i; }));
    }
    pool.execute([&] { last_ran.set(); });
    BOOST_TEST(pool.threads() == 1u);
    BOOST_TEST(pool.queued() == 1u);
    may_end.set();
    BOOST_TEST(last_ran.wait());
    pool.join();
    BOOST_TEST(!gave_up);
}

// Reads as "never".
BOOST_AUTO_TEST_CASE(the_longest_idle_timeout_keeps_threads)
{
    thread_count threads;
    ewyk::worker_pool pool(
        threads.counting({.max_threads = 2, .idle_timeout = std::chrono::nanoseconds::max()}));
    for (int i = 0; i != 20; ++i)
    {
        event ran;
        pool.execute([&] { ran.set(); });
        BOOST_TEST_REQUIRE(ran.wait());
        BOOST_TEST_REQUIRE(eventually(
            [&] { return pool.parked_threads() == pool.threads() || threads.ended != 0; }));
    }
    BOOST_TEST(threads.ended == 0u);
    BOOST_TEST(pool.threads_started() == 1u);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
