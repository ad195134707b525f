// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Many tasks, and few threads: everything runs once, and production goes on while tasks block.

#include "pool_support.hpp"

#include <algorithm>
#include <latch>
#include <optional>

using namespace support;

BOOST_AUTO_TEST_SUITE(execution_strategy_crowd)

namespace {

using ewyk::invocation_t;

constexpr invocation_t blocking = ewyk::invocation.blocking;
constexpr invocation_t non_blocking = ewyk::invocation.non_blocking;
constexpr invocation_t either = ewyk::invocation.either;
constexpr invocation_t invocations[] = {blocking, non_blocking, either};

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(thread_sanitizer) || __has_feature(address_sanitizer);
#else
constexpr bool sanitized = false;
#endif

// Many tasks

// Several feeders, and several threads that produce: also those of the pool.
STRATEGY_TEST_CASE(a_million_tasks_run_once_each, s)
{
    constexpr std::size_t feeders = 4;
    constexpr std::size_t each = (sanitized ? 60000 : 1000000) / feeders;
    std::vector<std::atomic<unsigned char>> runs(feeders * each);
    std::atomic<std::size_t> ran{0};
    source tasks;
    {
        ewyk::worker_pool pool({.max_threads = 4});
        ewyk::execution_strategy frames(tasks, pool, s);
        std::latch begin(feeders);
        std::vector<std::thread> all;
        for (std::size_t f = 0; f != feeders; ++f)
            all.emplace_back([&, f] {
                begin.arrive_and_wait();
                for (std::size_t i = f * each; i != (f + 1) * each; ++i)
                {
                    tasks.add({[&runs, &ran, i] {
                                   ++runs[i];
                                   ++ran;
                               },
                        invocations[i % 3]});
                    // Bursts of any length, so that production often ends and begins.
                    if (i % 11 == 0)
                        frames.produce();
                    else if (i % 5 == 0)
                        frames.dispatch();
                }
                frames.produce();
            });
        for (auto& t : all)
            t.join();
        BOOST_TEST(eventually([&] { return ran == runs.size(); }));
    }
    BOOST_TEST(std::count(runs.begin(), runs.end(), 1) == static_cast<std::ptrdiff_t>(runs.size()));
    BOOST_TEST(!tasks.two_at_once());
}

// Few threads

constexpr std::size_t sizes[] = {1, 2, 3};

// The caller and each thread of the pool hold a task that waits for all others: production was
// handed over each time.
BOOST_DATA_TEST_CASE(execute_produce_consume_uses_every_thread, sizes, threads)
{
    source tasks;
    gathering together;
    std::atomic<int> late{0};
    {
        ewyk::worker_pool pool({.max_threads = threads});
        ewyk::execution_strategy frames(tasks, pool, ewyk::strategy.execute_produce_consume);
        for (std::size_t i = 0; i != threads + 1; ++i)
            tasks.add(
                {[&] { late += !together.arrive_and_wait_for(threads + 1); }, invocations[i % 3]});
        frames.produce();
        BOOST_TEST(together.wait_for(threads + 1));
    }
    BOOST_TEST(late == 0);
    BOOST_TEST(!tasks.two_at_once());
}

// All threads of the pool block; the one that is left goes on producing.
void expect_production_beside_blocked_threads(ewyk::strategy_t s, std::size_t threads)
{
    waiting_source tasks;
    event release;
    gathering ran;
    std::atomic<int> late{0};
    std::size_t const many = threads + 5;
    ewyk::worker_pool pool({.max_threads = threads});
    ewyk::execution_strategy frames(tasks, pool, s);
    std::thread producer([&] { frames.produce(); });
    for (std::size_t i = 0; i != many; ++i)
        tasks.add({[&] {
                       late += !release.wait();
                       ran.arrive();
                   },
            blocking});
    // None of the tasks can be over, and yet a thread has come back for more.
    BOOST_TEST(tasks.wait_until_drained());
    release.set();
    BOOST_TEST(ran.wait_for(many));
    tasks.close();
    producer.join();
    BOOST_TEST(late == 0);
    BOOST_TEST(!tasks.two_at_once());
}

BOOST_DATA_TEST_CASE(produce_execute_consume_produces_while_all_threads_block, sizes, threads)
{
    expect_production_beside_blocked_threads(ewyk::strategy.produce_execute_consume, threads);
}

BOOST_DATA_TEST_CASE(eat_what_you_kill_produces_while_all_threads_block, sizes, threads)
{
    expect_production_beside_blocked_threads(ewyk::strategy.eat_what_you_kill, threads);
}

// HTTP/2: every thread waits for a window update that the producer finds, and must run itself,
// because in the queue it would wait for a thread: jetty/jetty.project#445, #558, #6646, #9121.
void expect_relief(std::size_t threads, invocation_t relief)
{
    waiting_source tasks;
    event window_update;
    gathering ran;
    std::atomic<int> late{0};
    std::size_t const writers = 2 * threads + 2;
    ewyk::worker_pool pool({.max_threads = threads});
    ewyk::execution_strategy frames(tasks, pool, ewyk::strategy.eat_what_you_kill);
    std::thread producer([&] { frames.produce(); });
    for (std::size_t i = 0; i != writers; ++i)
        tasks.add({[&] {
                       late += !window_update.wait();
                       ran.arrive();
                   },
            blocking});
    BOOST_TEST(tasks.wait_until_drained());
    BOOST_TEST(pool.queued() != 0u);
    tasks.add({[&] { window_update.set(); }, relief});
    BOOST_TEST(ran.wait_for(writers));
    tasks.close();
    producer.join();
    BOOST_TEST(late == 0);
    BOOST_TEST(!tasks.two_at_once());
}

BOOST_DATA_TEST_CASE(a_non_blocking_task_relieves_threads_that_wait_for_it, sizes, threads)
{
    expect_relief(threads, non_blocking);
}

BOOST_DATA_TEST_CASE(an_either_task_relieves_threads_that_wait_for_it, sizes, threads)
{
    expect_relief(threads, either);
}

// A pool of three threads with three users had none left for a request: jetty/jetty.project#1802,
// #13187. Here two connections produce over a small pool, and their tasks need a thread.
BOOST_DATA_TEST_CASE(two_blocking_producers_leave_a_thread_for_their_tasks, sizes, threads)
{
    struct connection
    {
        waiting_source tasks;
        std::optional<ewyk::execution_strategy<waiting_source>> frames;
        std::thread producer;
    };
    constexpr std::size_t many = 100;
    gathering ran;
    ewyk::worker_pool pool({.max_threads = threads});
    connection connections[2];
    for (connection& c : connections)
    {
        c.frames.emplace(c.tasks, pool, ewyk::strategy.eat_what_you_kill);
        c.producer = std::thread([&] { c.frames->produce(); });
    }
    bool in_time = true;
    for (std::size_t i = 0; i != many && in_time; ++i)
    {
        connections[i % 2].tasks.add({[&] { ran.arrive(); }, blocking});
        if (i % 4 == 3)
            in_time = ran.wait_for(i + 1);
    }
    BOOST_TEST(in_time);
    for (connection& c : connections)
    {
        c.tasks.close();
        c.producer.join();
    }
    for (connection& c : connections)
    {
        c.frames.reset();
        BOOST_TEST(!c.tasks.two_at_once());
    }
}

// A thread comes back from a task when the only other one waits inside a producer: it must not begin
// to wait inside its own, for then none would be left for tasks.
BOOST_AUTO_TEST_CASE(the_last_thread_does_not_resume)
{
    ewyk::worker_pool pool({.max_threads = 2});
    waiting_source tasks;
    waiting_source others;
    {
        ewyk::execution_strategy first(tasks, pool);
        ewyk::execution_strategy second(others, pool);
        BOOST_TEST_REQUIRE(warm_up(pool, 2));
        event running;
        event release;
        event ran;
        // The caller runs the first task, a thread of the pool the second one, and none produces.
        tasks.close();
        tasks.add({[&] { running.wait(); }, blocking});
        tasks.add({[&] {
                       running.set();
                       release.wait();
                   },
            blocking});
        first.produce();
        BOOST_TEST(running.wait());
        // The other thread of the pool waits inside the other producer, unless it was too late for
        // the hand-over; then the caller does.
        others.add({[&] { others.wait_until_drained(); }, blocking});
        std::thread caller([&] { second.produce(); });
        BOOST_TEST(others.wait_until_drained());

        tasks.open();
        tasks.add({[&] { ran.set(); }, blocking});
        release.set();
        BOOST_TEST(ran.wait());
        tasks.close();
        others.close();
        caller.join();
    }
}

// produce() from within a task that was given to the pool is dispatch(), too: it must not begin to wait there.
BOOST_AUTO_TEST_CASE(a_given_task_that_calls_produce_does_not_wait_in_it)
{
    event returned;
    event ran;
    ewyk::worker_pool pool({.max_threads = 1});
    waiting_source tasks;
    tasks.close();
    {
        ewyk::execution_strategy frames(tasks, pool);
        tasks.add({[&] {
                       returned.wait();
                       tasks.open();
                       frames.produce();
                       tasks.add({[&] { ran.set(); }, blocking});
                   },
            blocking});
        frames.produce();
        returned.set();
        BOOST_TEST(ran.wait());
        tasks.close();
    }
}

// Threads that come

// Each task is a failed hand-over as long as the threads that were started have not arrived.
BOOST_AUTO_TEST_CASE(a_storm_of_hand_overs_starts_no_more_threads_than_the_reserve)
{
    constexpr std::size_t reserve = 2;
    constexpr std::size_t many = 5000;
    event come;
    source tasks;
    gathering ran;
    ewyk::worker_pool pool(
        {.max_threads = 50, .reserve = reserve, .on_thread_start = [&] { come.wait(); }});
    ewyk::execution_strategy frames(tasks, pool, ewyk::strategy.eat_what_you_kill);
    for (std::size_t i = 0; i != many; ++i)
        tasks.add({[&] { ran.arrive(); }, either});
    frames.produce();
    BOOST_TEST(ran.wait_for(many));
    BOOST_TEST(pool.threads_started() == reserve);
    BOOST_TEST(pool.queued() == 0u);
    come.set();
}

// However often production is asked for, one thread is asked to come.
STRATEGY_TEST_CASE(a_storm_of_dispatches_asks_for_one_thread, s)
{
    source tasks;
    std::atomic<int> looks{0};
    event looked;
    tasks.when_empty([&] {
        ++looks;
        looked.set();
    });
    ewyk::worker_pool pool({.max_threads = 2});
    std::optional<blockade> both(std::in_place, pool, std::size_t{2});
    BOOST_TEST_REQUIRE(both->holds());
    {
        ewyk::execution_strategy frames(tasks, pool, s);
        std::vector<std::thread> all;
        for (int t = 0; t != 3; ++t)
            all.emplace_back([&] {
                for (int i = 0; i != 2000; ++i)
                    frames.dispatch();
            });
        for (auto& t : all)
            t.join();
        BOOST_TEST(pool.queued() == 1u);
        both.reset();
        BOOST_TEST(looked.wait());
        BOOST_TEST(eventually([&] { return pool.parked_threads() == 2; }));
    }
    BOOST_TEST(looks == 1);
}

// Load, long idle, load again, with threads that end in between: jetty/jetty.project#3550.
STRATEGY_TEST_CASE(production_comes_back_after_the_pools_threads_have_ended, s)
{
    source tasks;
    gathering ran;
    ewyk::worker_pool pool({.max_threads = 3, .reserve = 2, .idle_timeout = 1ms});
    ewyk::execution_strategy frames(tasks, pool, s);
    std::size_t expected = 0;
    for (int spike = 0; spike != 15; ++spike)
    {
        for (int i = 0; i != 30; ++i)
            tasks.add({[&] { ran.arrive(); }, invocations[i % 3]});
        expected += 30;
        frames.dispatch();
        BOOST_TEST_REQUIRE(ran.wait_for(expected));
        BOOST_TEST_REQUIRE(eventually([&] { return pool.threads() == 0; }));
    }
    BOOST_TEST(!tasks.two_at_once());
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
