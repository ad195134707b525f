// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What Jetty tests of its execution strategies (ExecuteProduceConsumeTest, ExecutionStrategyTest),
// said in our words for each of ours: idle, one task, many, a producer that blocks, and the moment
// in which the producer goes idle.

#include "pool_support.hpp"

#include <algorithm>
#include <latch>

using namespace support;

BOOST_AUTO_TEST_SUITE(execution_strategy_jetty)

namespace {

using ewyk::invocation_t;
constexpr invocation_t blocking = ewyk::invocation.blocking;
constexpr invocation_t non_blocking = ewyk::invocation.non_blocking;
constexpr invocation_t either = ewyk::invocation.either;
constexpr invocation_t invocations[] = {blocking, non_blocking, either};

// A source and a strategy over it, with a pool of a usual size.
template <class Source>
struct over
{
    Source tasks;
    ewyk::worker_pool pool;
    ewyk::execution_strategy<Source> frames;

    explicit over(ewyk::strategy_t s, ewyk::worker_pool_options o = {.max_threads = 4})
      : pool(o), frames(tasks, pool, s)
    {
    }

    ~over() { BOOST_TEST(!tasks.two_at_once()); }
};

// Idle

STRATEGY_TEST_CASE(produce_with_nothing_to_do_looks_once, s)
{
    over<source> o(s);
    o.frames.produce();
    BOOST_TEST(o.tasks.calls() == 1u);
    o.frames.produce();
    BOOST_TEST(o.tasks.calls() == 2u);
    BOOST_TEST(o.pool.threads_started() == 0u);
}

STRATEGY_TEST_CASE(dispatch_with_nothing_to_do_looks_once_elsewhere, s)
{
    over<source> o(s);
    auto looked_on = std::this_thread::get_id();
    event looked;
    o.tasks.when_empty([&] {
        looked_on = std::this_thread::get_id();
        looked.set();
    });
    o.frames.dispatch();
    BOOST_TEST(looked.wait());
    BOOST_TEST((looked_on != std::this_thread::get_id()));
    BOOST_TEST(eventually([&] { return o.pool.parked_threads() == 1; }));
    BOOST_TEST(o.tasks.calls() == 1u);
}

// One and many tasks

STRATEGY_TEST_CASE(one_task_runs_once, s)
{
    for (invocation_t const i : invocations)
        for (bool const dispatch : {false, true})
        {
            over<source> o(s);
            std::atomic<int> runs{0};
            gathering ran;
            o.tasks.add({[&] {
                             ++runs;
                             ran.arrive();
                         },
                i});
            if (dispatch)
                o.frames.dispatch();
            else
                o.frames.produce();
            BOOST_TEST(ran.wait_for(1));
            BOOST_TEST(runs == 1);
        }
}

// PEC gives them away; another producer runs all of them before it goes idle.
STRATEGY_TEST_CASE(produce_returns_when_non_blocking_tasks_have_run, s)
{
    constexpr int many = 1000;
    over<source> o(s);
    std::atomic<int> runs{0};
    for (int i = 0; i != many; ++i)
        o.tasks.add({[&] { ++runs; }, non_blocking});
    o.frames.produce();
    bool const by_the_producer =
        s == ewyk::strategy.produce_consume || s == ewyk::strategy.eat_what_you_kill;
    if (by_the_producer)
    {
        BOOST_TEST(runs == many);
        BOOST_TEST(o.pool.threads_started() == 0u);
    }
    BOOST_TEST(eventually([&] { return runs == many; }));
}

STRATEGY_TEST_CASE(many_tasks_run_once_each, s)
{
    constexpr std::size_t many = 3000;
    for (bool const dispatch : {false, true})
    {
        std::vector<std::atomic<int>> runs(many);
        gathering ran;
        {
            over<source> o(s);
            for (std::size_t i = 0; i != many; ++i)
                o.tasks.add({[&, i] {
                                 ++runs[i];
                                 ran.arrive();
                             },
                    invocations[i % 3]});
            if (dispatch)
                o.frames.dispatch();
            else
                o.frames.produce();
            BOOST_TEST(ran.wait_for(many));
        }
        BOOST_TEST(std::count(runs.begin(), runs.end(), 1) == static_cast<int>(many));
    }
}

// A task that blocks

// All strategies but PC go on meanwhile: what comes later runs before the task returns.
STRATEGY_TEST_CASE(later_tasks_run_while_one_blocks, s)
{
    if (s == ewyk::strategy.produce_consume)
        return;
    for (bool const dispatch : {false, true})
    {
        over<source> o(s);
        BOOST_TEST_REQUIRE(warm_up(o.pool, 2));
        event running;
        event release;
        bool released = false;
        o.tasks.add({[&] {
                         running.set();
                         released = release.wait();
                     },
            blocking});
        std::thread caller;
        if (dispatch)
            o.frames.dispatch();
        else
            caller = std::thread([&] { o.frames.produce(); });
        BOOST_TEST(running.wait());

        gathering ran;
        for (std::size_t i = 0; i != 10; ++i)
        {
            o.tasks.add({[&] { ran.arrive(); }, invocations[i % 3]});
            o.frames.dispatch();
            BOOST_TEST(ran.wait_for(i + 1));
        }
        release.set();
        if (caller.joinable())
            caller.join();
        BOOST_TEST(eventually([&] { return o.pool.parked_threads() == o.pool.threads(); }));
        BOOST_TEST(released);
    }
}

// The task that blocked comes back to find production idle, or goes on with what came last.
STRATEGY_TEST_CASE(what_comes_when_a_blocked_task_returns_is_not_lost, s)
{
    over<source> o(s);
    gathering ran;
    for (std::size_t i = 0; i != 1000; ++i)
    {
        event running;
        event release;
        o.tasks.add({[&] {
                         running.set();
                         release.wait();
                         ran.arrive();
                     },
            blocking});
        o.frames.dispatch();
        BOOST_TEST_REQUIRE(running.wait());
        o.tasks.add({[&] { ran.arrive(); }, invocations[i % 3]});
        release.set();
        o.frames.dispatch();
        BOOST_TEST_REQUIRE(ran.wait_for(2 * i + 2));
    }
}

// A producer that blocks

STRATEGY_TEST_CASE(others_leave_while_one_is_blocked_in_the_producer, s)
{
    over<waiting_source> o(s);
    std::thread producer([&] { o.frames.produce(); });
    BOOST_TEST(o.tasks.wait_until_drained());

    // Both return although the producer waits: it will see what comes.
    o.frames.produce();
    o.frames.dispatch();
    gathering ran;
    for (std::size_t i = 0; i != 30; ++i)
    {
        o.tasks.add({[&] { ran.arrive(); }, invocations[i % 3]});
        BOOST_TEST(ran.wait_for(i + 1));
    }
    o.tasks.close();
    producer.join();
}

// Whatever the number of threads, as in Jetty's test of all strategies with pools of all sizes.
STRATEGY_TEST_CASE(a_blocking_producer_serves_with_a_pool_of_any_size, s)
{
    constexpr std::size_t many = 500;
    for (std::size_t const threads : {1u, 2u, 8u})
    {
        over<waiting_source> o(s, {.max_threads = threads});
        std::atomic<std::size_t> runs{0};
        gathering ran;
        std::thread producer([&] { o.frames.produce(); });
        // In bursts of any length: sometimes the producer waits, and sometimes it does not get to
        // it.
        bool in_time = true;
        for (std::size_t i = 0; i != many && in_time; ++i)
        {
            o.tasks.add({[&] {
                             ++runs;
                             ran.arrive();
                         },
                invocations[i % 3]});
            if (i % 7 == 0 || i % 100 < 10)
                in_time = ran.wait_for(i + 1);
        }
        BOOST_TEST(
            (in_time && ran.wait_for(many)), runs << " have run with " << threads << " threads");
        o.tasks.close();
        producer.join();
    }
}

// Going idle

// The producer has looked in vain, and has not said so yet.
STRATEGY_TEST_CASE(a_task_that_comes_while_the_producer_goes_idle_is_seen, s)
{
    for (bool const dispatch : {false, true})
    {
        over<source> o(s);
        event going_idle;
        event asked;
        event ran;
        std::atomic<bool> first{true};
        o.tasks.when_empty([&] {
            if (first.exchange(false))
            {
                going_idle.set();
                asked.wait();
            }
        });
        std::thread producer([&] { o.frames.produce(); });
        BOOST_TEST(going_idle.wait());
        o.tasks.add([&] { ran.set(); });
        if (dispatch)
            o.frames.dispatch();
        else
            o.frames.produce();
        // The caller does not produce itself: that would be a second producer.
        BOOST_TEST(o.tasks.calls() == 1u);
        asked.set();
        producer.join();
        BOOST_TEST(ran.wait());
    }
}

// Asked for by the producer itself, from inside.
STRATEGY_TEST_CASE(a_producer_can_ask_for_production, s)
{
    for (bool const dispatch : {false, true})
    {
        over<source> o(s);
        event ran;
        bool first = true;
        o.tasks.when_empty([&] {
            if (std::exchange(first, false))
            {
                o.tasks.add([&] { ran.set(); });
                if (dispatch)
                    o.frames.dispatch();
                else
                    o.frames.produce();
            }
        });
        o.frames.produce();
        BOOST_TEST(ran.wait());
    }
}

// The same in a race: each task is added when the producer has just run the last one, and goes
// idle.
STRATEGY_TEST_CASE(dispatch_races_with_going_idle, s)
{
    constexpr int rounds = 10000;
    over<source> o(s);
    std::atomic<int> runs{0};
    for (int i = 0; i != rounds; ++i)
    {
        o.tasks.add({[&] { ++runs; }, invocations[i % 3]});
        o.frames.dispatch();
        BOOST_TEST_REQUIRE(soon([&] { return runs > i; }));
        BOOST_TEST_REQUIRE(runs == i + 1);
    }
}

// Two threads that produce: each goes idle while the other one adds.
STRATEGY_TEST_CASE(produce_races_with_going_idle, s)
{
    constexpr int rounds = 10000;
    over<source> o(s);
    std::atomic<int> runs{0};
    std::atomic<int> lost{0};
    std::latch begin(2);
    auto const add_and_produce = [&](int parity) {
        begin.arrive_and_wait();
        for (int i = 0; i != rounds; ++i)
        {
            std::atomic<bool> ran{false};
            o.tasks.add({[&] {
                             ++runs;
                             ran = true;
                         },
                invocations[(i + parity) % 3]});
            o.frames.produce();
            if (!soon([&] { return ran.load(); }))
            {
                ++lost;
                return;
            }
        }
    };
    std::thread other(add_and_produce, 1);
    add_and_produce(0);
    other.join();
    BOOST_TEST(lost == 0);
    BOOST_TEST(runs == 2 * rounds);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
