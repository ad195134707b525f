// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The end of a strategy, and of production in a pool that was stopped: what waits is destroyed,
// what runs is waited for, and nothing of it is touched afterwards.

#include "pool_support.hpp"

using namespace support;

BOOST_AUTO_TEST_SUITE(execution_strategy_destruction)

namespace {

using ewyk::invocation_t;
using strategy = ewyk::execution_strategy<source>;

constexpr invocation_t blocking = ewyk::invocation.blocking;
constexpr invocation_t non_blocking = ewyk::invocation.non_blocking;
constexpr invocation_t either = ewyk::invocation.either;
constexpr invocation_t invocations[] = {blocking, non_blocking, either};

constexpr auto produce_execute_consume = ewyk::strategy.produce_execute_consume;

// A task that is followed by a census. Jobs are copyable, so they share the resident.
template <class F>
auto counted(census& c, F f)
{
    return [r = std::make_shared<resident>(c), f] {
        (*r)();
        f();
    };
}

auto counted(census& c)
{
    return counted(c, [] {});
}

// Sets the event when the last copy of a task is destroyed.
auto sets_when_destroyed(event& e)
{
    return [guard = std::shared_ptr<event>(&e, [](event* what) { what->set(); })] {};
}

STRATEGY_TEST_CASE(an_unused_strategy_ends, s)
{
    source tasks;
    ewyk::worker_pool pool;
    strategy(tasks, pool, s);
    BOOST_TEST(tasks.calls() == 0u);
}

// The thread that was asked for has not come yet, and never will.
STRATEGY_TEST_CASE(production_that_waits_for_a_thread_is_called_off, s)
{
    census c;
    event ran;
    ewyk::worker_pool pool({.max_threads = 1});
    {
        blockade the_thread(pool, 1);
        BOOST_TEST_REQUIRE(the_thread.holds());
        source tasks;
        {
            strategy frames(tasks, pool, s);
            tasks.add(counted(c));
            frames.dispatch();
            BOOST_TEST(pool.queued() == 1u);
        }
        BOOST_TEST(pool.queued() == 0u);
        BOOST_TEST(tasks.calls() == 0u);
    }
    pool.wait();
    pool.execute([&] { ran.set(); });
    BOOST_TEST(ran.wait());
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.destroyed == c.made);
}

BOOST_AUTO_TEST_CASE(tasks_that_wait_for_a_thread_are_destroyed)
{
    census mine;
    census others;
    ewyk::worker_pool pool({.max_threads = 1});
    blockade the_thread(pool, 1);
    BOOST_TEST_REQUIRE(the_thread.holds());
    source tasks;
    {
        strategy frames(tasks, pool, produce_execute_consume);
        for (int i = 0; i != 10; ++i)
        {
            tasks.add(counted(mine));
            pool.execute(resident(others));
        }
        frames.produce();
        BOOST_TEST(pool.queued() == 20u);
    }
    BOOST_TEST(mine.destroyed == 10);
    BOOST_TEST(others.destroyed == 0);
    BOOST_TEST(pool.queued() == 10u);
    the_thread.release();
    pool.wait();
    BOOST_TEST(mine.ran == 0);
    BOOST_TEST(others.ran == 10);
}

// The task goes on only when one is destroyed that waits behind it, so when destruction is under
// way.
BOOST_AUTO_TEST_CASE(a_task_that_runs_in_the_pool_is_waited_for)
{
    event destroying;
    bool in_time = false;
    std::atomic<bool> finished{false};
    ewyk::worker_pool pool({.max_threads = 1});
    source tasks;
    {
        strategy frames(tasks, pool, produce_execute_consume);
        event running;
        tasks.add([&] {
            running.set();
            in_time = destroying.wait();
            finished = true;
        });
        frames.produce();
        BOOST_TEST_REQUIRE(running.wait());
        tasks.add(sets_when_destroyed(destroying));
        frames.produce();
        BOOST_TEST(!finished);
    }
    BOOST_TEST(finished);
    BOOST_TEST(in_time);
}

// The same with production itself, which looks whether it is left alone.
STRATEGY_TEST_CASE(a_thread_of_the_pool_that_produces_is_waited_for, s)
{
    event looking;
    event about_to_destroy;
    std::atomic<bool> destroyed{false};
    bool left_alone = false;
    ewyk::worker_pool pool({.max_threads = 2});
    source tasks;
    tasks.when_empty([&] {
        looking.set();
        about_to_destroy.wait();
        for (int i = 0; i != 100; ++i)
            std::this_thread::yield();
        left_alone = destroyed;
    });
    {
        strategy frames(tasks, pool, s);
        frames.dispatch();
        BOOST_TEST_REQUIRE(looking.wait());
        about_to_destroy.set();
    }
    destroyed = true;
    BOOST_TEST(!left_alone);
    BOOST_TEST(tasks.calls() == 1u);
}

// A producer of two tasks: the second one comes when the first one has been destroyed, so while the
// strategy ends.
struct late_source
{
    census& c;
    event producing = {};
    event destroying = {};
    int calls = 0;

    job produce()
    {
        switch (++calls)
        {
        case 1:
            return counted(c, sets_when_destroyed(destroying));
        case 2:
            producing.set();
            destroying.wait();
            return counted(c);
        default:
            return {};
        }
    }
};

// Nor does the end wait for others' tasks, which may run for long.
BOOST_AUTO_TEST_CASE(what_is_produced_during_destruction_is_destroyed)
{
    census c;
    event gone;
    std::atomic<bool> waited_for{false};
    {
        ewyk::worker_pool pool({.max_threads = 1});
        {
            late_source tasks{c};
            {
                ewyk::execution_strategy frames(tasks, pool, produce_execute_consume);
                frames.dispatch();
                BOOST_TEST_REQUIRE(tasks.producing.wait());
                // What the pool's only thread takes up next.
                pool.execute([&] { waited_for = !gone.wait(); });
            }
            BOOST_TEST(tasks.calls == 3);
        }
        BOOST_TEST(c.destroyed == 2);
        // But for what the thread may be about to take.
        BOOST_TEST(eventually([&] { return pool.queued() == 0u; }));
        gone.set();
        pool.wait();
        // The thread looks for more.
        event ran;
        pool.execute([&] { ran.set(); });
        BOOST_TEST(ran.wait());
    }
    BOOST_TEST(!waited_for);
    BOOST_TEST(c.made == 2);
    BOOST_TEST(c.destroyed == 2);
    BOOST_TEST(c.ran == 0);
}

// Strategies come and go over one pool, whose threads come and go as well.
STRATEGY_TEST_CASE(strategies_end_at_any_moment, s)
{
    census c;
    {
        ewyk::worker_pool pool({.max_threads = 3, .reserve = 2, .idle_timeout = 1ms});
        for (int i = 0; i != 300; ++i)
        {
            source tasks;
            strategy frames(tasks, pool, s);
            for (int n = 0; n != 12; ++n)
            {
                tasks.add({counted(c), invocations[n % 3]});
                if (n % 4 == i % 4)
                    frames.dispatch();
            }
            if (i % 3 == 0)
                frames.produce();
            for (int n = 0; n != i % 20; ++n)
                std::this_thread::yield();
        }
    }
    BOOST_TEST(c.made == 300 * 12);
    BOOST_TEST(c.destroyed == c.made);
    BOOST_TEST(c.ran <= c.made);
}

// A pool that was stopped

BOOST_AUTO_TEST_CASE(stopping_the_pool_destroys_what_waits)
{
    census c;
    ewyk::worker_pool pool({.max_threads = 1});
    blockade the_thread(pool, 1);
    BOOST_TEST_REQUIRE(the_thread.holds());
    source tasks;
    strategy frames(tasks, pool, produce_execute_consume);
    for (int i = 0; i != 10; ++i)
        tasks.add(counted(c));
    frames.produce();
    frames.dispatch();
    pool.stop();
    BOOST_TEST(c.destroyed == 10);
    BOOST_TEST(c.ran == 0);
}

// Another thread stops the pool, and is in the middle of destroying what the strategy left there.
BOOST_AUTO_TEST_CASE(a_strategy_ends_while_its_pool_is_stopped)
{
    event destroying;
    event release;
    std::atomic<bool> released{false};
    struct slow
    {
        event& destroying;
        event& release;
        ~slow()
        {
            destroying.set();
            release.wait();
        }
    };
    ewyk::worker_pool pool({.max_threads = 1});
    blockade the_thread(pool, 1);
    BOOST_TEST_REQUIRE(the_thread.holds());
    std::thread stopper;
    std::thread releaser;
    {
        source tasks;
        strategy frames(tasks, pool, produce_execute_consume);
        tasks.add([s = std::shared_ptr<slow>(new slow{destroying, release})] {});
        frames.produce();
        frames.dispatch(); // the strategy itself waits behind it
        stopper = std::thread([&] { pool.stop(); });
        BOOST_TEST(destroying.wait());
        releaser = std::thread([&] {
            released = true;
            release.set();
        });
    }
    BOOST_TEST(released);
    releaser.join();
    stopper.join();
}

STRATEGY_TEST_CASE(dispatch_to_a_stopped_pool_does_nothing, s)
{
    for (bool const used_before : {false, true})
    {
        source tasks;
        ewyk::worker_pool pool;
        strategy frames(tasks, pool, s);
        if (used_before)
        {
            frames.dispatch();
            BOOST_TEST(eventually([&] { return pool.parked_threads() == 1; }));
        }
        pool.stop();
        pool.join();
        std::size_t const calls = tasks.calls();
        tasks.add([] {});
        BOOST_CHECK_NO_THROW(frames.dispatch());
        BOOST_CHECK_NO_THROW(frames.dispatch());
        BOOST_TEST(tasks.calls() == calls);
    }
}

// There is no thread to give a task to, and still each one is run or destroyed, and production
// ends.
STRATEGY_TEST_CASE(produce_with_a_stopped_pool_comes_to_its_end, s)
{
    census c;
    {
        source tasks;
        ewyk::worker_pool pool;
        BOOST_TEST_REQUIRE(warm_up(pool, 2));
        strategy frames(tasks, pool, s);
        pool.stop();
        for (int i = 0; i != 30; ++i)
            tasks.add({counted(c), invocations[i % 3]});
        frames.produce();
        BOOST_TEST(tasks.calls() == 31u);
        BOOST_TEST(!tasks.two_at_once());
    }
    BOOST_TEST(c.made == 30);
    BOOST_TEST(c.destroyed == 30);
}

STRATEGY_TEST_CASE(a_pool_is_stopped_during_production, s)
{
    census c;
    for (int i = 0; i != 100; ++i)
    {
        source tasks;
        ewyk::worker_pool pool({.max_threads = 3, .reserve = 2});
        strategy frames(tasks, pool, s);
        std::thread stopper([&] {
            for (int n = 0; n != i % 20; ++n)
                std::this_thread::yield();
            pool.stop();
        });
        for (int n = 0; n != 30; ++n)
        {
            tasks.add({counted(c), invocations[n % 3]});
            if (n % 2 == 0)
                frames.dispatch();
            else
                frames.produce();
        }
        stopper.join();
        pool.join();
        // Whatever the pool has not taken up is still there, and can be.
        frames.produce();
        BOOST_TEST(!tasks.two_at_once());
    }
    BOOST_TEST(c.made == 100 * 30);
    BOOST_TEST(c.destroyed == c.made);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
