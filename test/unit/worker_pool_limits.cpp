// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The limits of a pool change while it is used, and threads may be leased.

#include "pool_support.hpp"

#include <stdexcept>
#include <string>
#include <vector>

using namespace support;

BOOST_AUTO_TEST_SUITE(worker_pool_limits)

namespace {

// Runs so many tasks at once as can, and says how many that were.
std::size_t at_once(ewyk::worker_pool& pool, std::size_t expected)
{
    std::atomic<std::size_t> running{0};
    std::atomic<std::size_t> ended{0};
    event release;
    std::size_t const all = expected + 2;
    for (std::size_t i = 0; i != all; ++i)
        pool.execute([&] {
            ++running;
            release.wait();
            ++ended;
        });
    bool const reached = eventually([&] { return running == expected; });
    std::size_t const n = reached ? pool.threads() : 0;
    release.set();
    BOOST_TEST(eventually([&] { return ended == all; }));
    return n;
}

BOOST_AUTO_TEST_CASE(are_those_that_the_pool_was_made_with)
{
    ewyk::worker_pool pool(
        {.min_threads = 1, .max_threads = 3, .idle_timeout = 5s, .max_queue = 7});
    auto const l = pool.limits();
    BOOST_TEST(l.min_threads == 1u);
    BOOST_TEST(l.max_threads == 3u);
    BOOST_TEST((l.idle_timeout == 5s));
    BOOST_TEST(l.max_queue == 7u);
}

BOOST_AUTO_TEST_CASE(fewer_threads_and_more_again)
{
    ewyk::worker_pool pool({.max_threads = 6});
    BOOST_TEST(at_once(pool, 6) == 6u);
    //tag::limit[]
    auto limits = pool.limits();
    limits.max_threads = 2;
    pool.limit(limits);
    //end::limit[]
    BOOST_TEST(pool.metrics().max_threads == 2u);
    // Those that are parked end, although their timeout is a minute.
    BOOST_TEST(eventually([&] { return pool.threads() <= 2; }));
    BOOST_TEST(at_once(pool, 2) == 2u);
    pool.limit({.max_threads = 5});
    BOOST_TEST(at_once(pool, 5) == 5u);
}

// Tasks that wait get the threads that are allowed now.
BOOST_AUTO_TEST_CASE(tasks_that_wait_get_new_threads)
{
    std::atomic<int> running{0};
    event release;
    ewyk::worker_pool pool({.max_threads = 4});
    pool.limit({.max_threads = 1});
    for (int i = 0; i != 4; ++i)
        pool.execute([&] {
            ++running;
            release.wait();
        });
    BOOST_TEST(eventually([&] { return running == 1; }));
    pool.limit({.max_threads = 4});
    BOOST_TEST(eventually([&] { return running == 4; }));
    release.set();
    pool.join();
}

// Threads that run tasks end when these are over; the tasks that wait run on the others.
BOOST_AUTO_TEST_CASE(no_task_is_lost_while_limits_change)
{
    std::atomic<std::size_t> ran{0};
    std::atomic<bool> done{false};
    ewyk::worker_pool pool({.max_threads = 8, .idle_timeout = 1ms});
    hand_overs some(pool);
    constexpr std::size_t submitters = 2;
    constexpr std::size_t each = 5'000;
    std::thread changer([&] {
        for (std::size_t i = 1; !done; ++i)
        {
            pool.limit({.max_threads = 1 + i % 8, .idle_timeout = 1ms});
            std::this_thread::yield();
        }
    });
    std::vector<std::thread> all;
    for (std::size_t s = 0; s != submitters; ++s)
        all.emplace_back([&] {
            for (std::size_t i = 0; i != each; ++i)
                if (i % 3 != 0 || !some.try_execute([&] { ++ran; }))
                    pool.execute([&] { ++ran; });
        });
    for (std::thread& t : all)
        t.join();
    BOOST_TEST(eventually([&] { return ran == submitters * each; }));
    done = true;
    changer.join();
}

BOOST_AUTO_TEST_CASE(a_shorter_idle_timeout_counts_for_threads_that_are_parked)
{
    ewyk::worker_pool pool({.max_threads = 3, .idle_timeout = 1h});
    BOOST_TEST(at_once(pool, 3) == 3u);
    pool.limit({.max_threads = 3, .idle_timeout = 1ms});
    BOOST_TEST(eventually([&] { return pool.threads() == 0; }));
}

BOOST_AUTO_TEST_CASE(threads_stay_no_longer_where_the_minimum_is_lower)
{
    ewyk::worker_pool pool({.min_threads = 2, .max_threads = 2, .idle_timeout = 1ms});
    BOOST_TEST(at_once(pool, 2) == 2u);
    BOOST_TEST(eventually([&] { return pool.parked_threads() == 2; }));
    pool.limit({.max_threads = 2, .idle_timeout = 1ms});
    BOOST_TEST(eventually([&] { return pool.threads() == 0; }));
}

BOOST_AUTO_TEST_CASE(a_bounded_queue_gets_another_bound)
{
    event release;
    event begun;
    ewyk::worker_pool pool(
        {.max_threads = 1, .max_queue = 1, .when_full = ewyk::queue_full::reject});
    pool.execute([&] {
        begun.set();
        release.wait();
    });
    BOOST_TEST_REQUIRE(begun.wait());
    pool.execute([] {});
    BOOST_CHECK_THROW(pool.execute([] {}), ewyk::queue_full_error);
    pool.limit({.max_threads = 1, .max_queue = 2});
    pool.execute([] {});
    BOOST_CHECK_THROW(pool.execute([] {}), ewyk::queue_full_error);
    release.set();
    pool.join();
}

// One thread is left for tasks, or those that a producer gives away would wait for ever.
BOOST_AUTO_TEST_CASE(a_producer_keeps_a_thread_beside_it)
{
    event ran;
    ewyk::worker_pool pool({.max_threads = 3});
    ewyk::strategy_context ctx(pool, ewyk::strategy.produce_execute_consume);
    std::thread caller([&] {
        auto const work = asio::make_work_guard(ctx);
        ctx.run();
    });
    BOOST_TEST(at_once(pool, 3) == 3u);
    pool.limit({.max_threads = 1});
    asio::post(ctx, [&] { ran.set(); });
    BOOST_TEST(ran.wait());
    ctx.stop();
    caller.join();
}

std::string message_of(ewyk::worker_pool& pool, ewyk::worker_pool_limits const& l)
{
    try
    {
        pool.limit(l);
    }
    catch (std::invalid_argument const& e)
    {
        return e.what();
    }
    return "accepted";
}

BOOST_AUTO_TEST_CASE(what_cannot_work_is_refused_and_changes_nothing)
{
    ewyk::worker_pool pool({.max_threads = 4, .idle_timeout = 7s});
    auto const begins = [&](ewyk::worker_pool_limits const& l, std::string const& with) {
        std::string const message = message_of(pool, l);
        BOOST_TEST(message.substr(0, with.size()) == with, message);
    };
    begins({.max_threads = 5}, "worker_pool_limits::max_threads must be from 1 to 4");
    begins({.max_threads = 0}, "worker_pool_limits::max_threads must be from 1 to 4");
    begins({.min_threads = 3, .max_threads = 2},
        "worker_pool_options::min_threads must be at most max_threads, not 3");
    begins({.max_threads = 2, .idle_timeout = 5ns},
        "worker_pool_options::idle_timeout must be at least 1 ms, not 5 ns");
    BOOST_TEST(pool.limits().max_threads == 4u);
    BOOST_TEST((pool.limits().idle_timeout == 7s));
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
