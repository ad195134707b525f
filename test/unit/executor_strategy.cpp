// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The strategies over threads of any executor.

#include "pool_support.hpp"
#include <asio_ewyk/executor_strategy.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace support;

BOOST_AUTO_TEST_SUITE(executor_strategy)

namespace {

using pool_executor = asio::thread_pool::executor_type;

constexpr ewyk::invocation_t invocations[] = {
    ewyk::invocation.blocking, ewyk::invocation.non_blocking, ewyk::invocation.either};

// Each of many tasks runs once, whatever produces and dispatches at the same time.
template <class Executor>
void runs_each_once(Executor const& executor, ewyk::strategy_t s)
{
    constexpr std::size_t each = 2'000;
    source tasks;
    std::atomic<std::size_t> ran{0};
    {
        ewyk::executor_strategy strategy(tasks, executor, s);
        BOOST_TEST((strategy.strategy() == s));
        std::vector<std::thread> all;
        for (int t = 0; t != 2; ++t)
            all.emplace_back([&, t] {
                for (std::size_t i = 0; i != each; ++i)
                {
                    tasks.add({[&] { ++ran; }, invocations[i % 3]});
                    if (t == 0)
                        strategy.dispatch();
                    else
                        strategy.produce();
                }
            });
        for (std::thread& t : all)
            t.join();
        BOOST_TEST(eventually([&] { return ran == 2 * each; }));
        BOOST_TEST(eventually([&] { return strategy.metrics().tasks() == 2 * each; }));
        BOOST_TEST(strategy.metrics().queued_in_pool == 0u);
    }
    BOOST_TEST(ran == 2 * each);
    BOOST_TEST(!tasks.two_at_once());
}

STRATEGY_TEST_CASE(over_a_thread_pool_of_asio, s)
{
    // tag::strategy[]
    asio::thread_pool pool(3);
    source tasks;
    ewyk::executor_strategy strategy(tasks, pool.get_executor(), s);
    // end::strategy[]
    event ran;
    tasks.add([&] { ran.set(); });
    strategy.dispatch();
    BOOST_TEST(ran.wait());
    runs_each_once(pool.get_executor(), s);
    runs_each_once(asio::any_io_executor(pool.get_executor()), s);
}

STRATEGY_TEST_CASE(over_the_system_executor, s)
{
    runs_each_once(asio::system_executor(), s);
}

STRATEGY_TEST_CASE(over_a_context, s)
{
    asio::io_context context;
    auto work = asio::make_work_guard(context);
    std::thread caller([&] { context.run(); });
    runs_each_once(context.get_executor(), s);
    work.reset();
    caller.join();
}

// What may block goes to the executor, as nothing tells whether one of its threads could take over.
BOOST_AUTO_TEST_CASE(eat_what_you_kill_gives_away_what_may_block)
{
    asio::thread_pool pool(2);
    source tasks;
    ewyk::executor_strategy strategy(tasks, pool.get_executor());
    std::thread::id const me = std::this_thread::get_id();
    std::atomic<bool> here[3] = {false, false, false};
    gathering all;
    for (std::size_t i = 0; i != 3; ++i)
        tasks.add({[&, i] {
                       here[i] = std::this_thread::get_id() == me;
                       all.arrive();
                   },
            invocations[i]});
    strategy.produce();
    BOOST_TEST_REQUIRE(all.wait_for(3));
    BOOST_TEST(!here[0]);
    BOOST_TEST(here[1]);
    BOOST_TEST(here[2]);
}

// With execute_produce_consume another thread produces while a task waits for the next one.
BOOST_AUTO_TEST_CASE(a_task_may_wait_for_the_next_one)
{
    asio::thread_pool pool(2);
    source tasks;
    ewyk::executor_strategy strategy(
        tasks, pool.get_executor(), ewyk::strategy.execute_produce_consume);
    event second;
    std::atomic<bool> waited{false};
    tasks.add([&] { waited = second.wait(); });
    tasks.add([&] { second.set(); });
    strategy.produce();
    BOOST_TEST(waited.load());
}

BOOST_AUTO_TEST_CASE(an_exception_leaves_produce_and_the_rest_runs)
{
    asio::thread_pool pool(1);
    source tasks;
    ewyk::executor_strategy strategy(tasks, pool.get_executor(), ewyk::strategy.produce_consume);
    event ran;
    tasks.add([] { throw std::runtime_error("thrown"); });
    tasks.add([&] { ran.set(); });
    BOOST_CHECK_THROW(strategy.produce(), std::runtime_error);
    BOOST_TEST(ran.wait());
    BOOST_TEST(strategy.metrics().exceptions == 1u);
}

// What still waits in the executor when the strategy ends is destroyed there, and not run.
STRATEGY_TEST_CASE(what_waits_at_the_end_is_destroyed, s)
{
    auto const held = std::make_shared<int>(0);
    std::atomic<std::size_t> ran{0};
    asio::io_context context;
    source tasks;
    {
        std::optional<ewyk::executor_strategy<source, asio::io_context::executor_type>> strategy;
        strategy.emplace(tasks, context.get_executor(), s);
        for (int i = 0; i != 3; ++i)
            tasks.add({[&ran, held] { ++ran; }, ewyk::invocation.blocking});
        if (s == ewyk::strategy.produce_execute_consume || s == ewyk::strategy.eat_what_you_kill)
            strategy->produce();
        else
            strategy->dispatch();
    }
    context.run();
    BOOST_TEST(ran == 0u);
    while (tasks.produce())
    {
    }
    BOOST_TEST(held.use_count() == 1);
}

// An executor that is gone destroys what it has; the next dispatch() asks again.
BOOST_AUTO_TEST_CASE(a_stopped_pool_runs_nothing)
{
    asio::thread_pool pool(1);
    pool.stop();
    pool.join();
    std::atomic<bool> ran{false};
    source tasks;
    {
        ewyk::executor_strategy strategy(tasks, pool.get_executor());
        tasks.add([&] { ran = true; });
        strategy.dispatch();
        strategy.dispatch();
    }
    BOOST_TEST(!ran);
}

// Waits for the task that runs.
BOOST_AUTO_TEST_CASE(the_end_waits_for_what_runs)
{
    asio::thread_pool pool(2);
    source tasks;
    std::atomic<bool> over{false};
    event begun;
    event release;
    std::optional<ewyk::executor_strategy<source, pool_executor>> strategy;
    strategy.emplace(tasks, pool.get_executor(), ewyk::strategy.produce_execute_consume);
    tasks.add([&] {
        begun.set();
        release.wait();
        over = true;
    });
    strategy->produce();
    BOOST_TEST_REQUIRE(begun.wait());
    std::thread releases([&] { release.set(); });
    strategy.reset();
    BOOST_TEST(over.load());
    releases.join();
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
