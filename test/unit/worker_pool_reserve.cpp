// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What a strategy hands over goes to a parked thread, now or not at all; and the threads that are
// started for the next time.

#include "pool_support.hpp"

#include <optional>

using namespace support;

BOOST_AUTO_TEST_SUITE(worker_pool_reserve)

namespace {

BOOST_AUTO_TEST_CASE(fails_without_a_parked_thread_and_has_one_started)
{
    ewyk::worker_pool pool({.max_threads = 2, .reserve = 1});
    event ran;
    hand_overs some(pool);
    BOOST_TEST(!some.try_execute([&] { ran.set(); }));
    BOOST_TEST(pool.queued() == 0u);
    BOOST_TEST(pool.threads_started() == 1u);

    BOOST_TEST(eventually([&] { return pool.parked_threads() == 1; }));
    BOOST_TEST(some.try_execute([&] { ran.set(); }));
    BOOST_TEST(ran.wait());
    BOOST_TEST(pool.threads_started() == 1u);
}

BOOST_AUTO_TEST_CASE(each_parked_thread_is_good_for_one)
{
    constexpr std::size_t parked = 3;
    gathering together;
    std::atomic<int> late{0};
    ewyk::worker_pool pool({.max_threads = parked, .reserve = 0});
    BOOST_TEST_REQUIRE(warm_up(pool, parked));
    {
        hand_overs some(pool);
        for (std::size_t i = 0; i != parked; ++i)
            BOOST_TEST(some.try_execute([&] { late += !together.arrive_and_wait_for(parked + 1); }));
        BOOST_TEST(!some.try_execute([] {}));
        together.arrive();
    }
    BOOST_TEST(late == 0);
}

BOOST_AUTO_TEST_CASE(fails_while_all_threads_are_busy)
{
    ewyk::worker_pool pool({.max_threads = 2, .reserve = 1});
    blockade both(pool, 2);
    BOOST_TEST_REQUIRE(both.holds());
    hand_overs some(pool);
    BOOST_TEST(!some.try_execute([] {}));
    pool.execute([] {});
    BOOST_TEST(!some.try_execute([] {}));
    BOOST_TEST(pool.queued() == 1u);
    BOOST_TEST(pool.threads_started() == 2u);
}

BOOST_AUTO_TEST_CASE(without_a_reserve_no_thread_is_started_for_the_next_time)
{
    ewyk::worker_pool pool({.max_threads = 4, .reserve = 0});
    hand_overs some(pool);
    BOOST_TEST(!some.try_execute([] {}));
    BOOST_TEST(pool.threads_started() == 0u);

    // A thread that happens to be parked will do.
    BOOST_TEST_REQUIRE(warm_up(pool, 1));
    BOOST_TEST(some.try_execute([] {}));
    BOOST_TEST(pool.threads_started() == 1u);
}

// 2700 requests for a reserved thread were queued while the pool was full:
// jetty/jetty.project#13707. Here threads come so slowly that each attempt fails.
BOOST_AUTO_TEST_CASE(a_storm_of_attempts_starts_no_more_threads_than_the_reserve)
{
    constexpr std::size_t reserve = 3;
    event come;
    std::atomic<std::size_t> started{0};
    std::atomic<int> successes{0};
    ewyk::worker_pool pool({.max_threads = 50, .reserve = reserve, .on_thread_start = [&] {
                                ++started;
                                come.wait();
                            }});
    hand_overs some(pool);
    std::vector<std::thread> attempts;
    for (int i = 0; i != 4; ++i)
        attempts.emplace_back([&] {
            for (int n = 0; n != 5000; ++n)
                successes += some.try_execute([] {});
        });
    for (auto& a : attempts)
        a.join();
    BOOST_TEST(successes == 0);
    BOOST_TEST(pool.threads_started() == reserve);
    BOOST_TEST(pool.queued() == 0u);
    come.set();
    BOOST_TEST(eventually([&] { return pool.parked_threads() == reserve; }));
    BOOST_TEST(started == reserve);
}

BOOST_AUTO_TEST_CASE(a_storm_of_attempts_on_a_full_pool_starts_nothing)
{
    ewyk::worker_pool pool({.max_threads = 3, .reserve = 2});
    blockade all(pool, 3);
    BOOST_TEST_REQUIRE(all.holds());
    hand_overs some(pool);
    int successes = 0;
    for (int n = 0; n != 10000; ++n)
        successes += some.try_execute([] {});
    BOOST_TEST(successes == 0);
    BOOST_TEST(pool.threads_started() == 3u);
    BOOST_TEST(pool.threads() == 3u);
    BOOST_TEST(pool.queued() == 0u);
}

// No thread is held back for a hand-over while a task waits: jetty/jetty.project#13187.
BOOST_AUTO_TEST_CASE(a_thread_started_for_the_next_time_serves_what_is_queued)
{
    ewyk::worker_pool pool({.max_threads = 2, .reserve = 1});
    blockade one(pool, 1);
    BOOST_TEST_REQUIRE(one.holds());
    BOOST_TEST(!hand_overs(pool).try_execute([] {}));
    for (int i = 0; i != 10; ++i)
    {
        event ran;
        pool.execute([&] { ran.set(); });
        BOOST_TEST(ran.wait());
    }
}

// One claims a thread that ends because none did, at the same time.
BOOST_AUTO_TEST_CASE(each_success_runs_once_while_threads_come_and_go)
{
    constexpr int enough = 50;
    std::atomic<int> ran{0};
    std::atomic<int> successes{0};
    census c;
    {
        ewyk::worker_pool pool({.max_threads = 3, .reserve = 2, .idle_timeout = 1ms});
        std::optional<hand_overs> some(pool);
        std::vector<std::thread> attempts;
        auto const begin = std::chrono::steady_clock::now();
        // On a busy machine most threads end before one that attempts has a CPU again.
        auto const goes_on = [&] {
            auto const taken = std::chrono::steady_clock::now() - begin;
            return taken < 150ms || (successes < enough && taken < patience);
        };
        for (int i = 0; i != 3; ++i)
            attempts.emplace_back([&] {
                while (goes_on())
                {
                    successes += some->try_execute([&ran, r = resident(c)] { ++ran; });
                    for (int pause = 0; pause != 20; ++pause)
                        std::this_thread::yield();
                }
            });
        for (auto& a : attempts)
            a.join();
        some.reset();
        BOOST_TEST(ran == successes);
    }
    BOOST_TEST(c.made == c.destroyed);
    BOOST_TEST(successes >= enough);
}

// The place of a thread that is about to end may be taken by the next one, but none waits for it.
BOOST_AUTO_TEST_CASE(does_not_wait_for_a_thread_that_ends)
{
    event ending;
    event attempted;
    std::atomic<bool> waited_for{false};
    ewyk::worker_pool pool(
        {.max_threads = 4, .reserve = 1, .idle_timeout = 1ms, .on_thread_stop = [&] {
             ending.set();
             if (!attempted.wait())
                 waited_for = true;
         }});
    pool.execute([] {});
    BOOST_TEST_REQUIRE(ending.wait());
    BOOST_TEST(!hand_overs(pool).try_execute([] {}));
    attempted.set();
    BOOST_TEST(!waited_for);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
