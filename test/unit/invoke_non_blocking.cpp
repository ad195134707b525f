// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A caller that must not block. What the strategies make of it for each invocation type is in
// execution_strategy.cpp, on_a_producer_that_may_not_block.

#include "pool_support.hpp"

#include <asio_ewyk/invocation.hpp>

#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>

using namespace support;

BOOST_AUTO_TEST_SUITE(invoke_non_blocking)

namespace {

bool may_block()
{
    return ewyk::this_invocation::may_block();
}

BOOST_AUTO_TEST_CASE(marks_this_thread_until_it_returns)
{
    BOOST_TEST(may_block());
    bool elsewhere = false;
    ewyk::invoke_non_blocking([&] {
        BOOST_TEST(!may_block());
        ewyk::invoke_non_blocking([] { BOOST_TEST(!may_block()); });
        BOOST_TEST(!may_block());
        std::thread([&] { elsewhere = may_block(); }).join();
    });
    BOOST_TEST(elsewhere);
    BOOST_TEST(may_block());
}

BOOST_AUTO_TEST_CASE(returns_what_the_function_returns)
{
    int value = 1;
    auto const by_reference = [&]() -> int& { return value; };
    static_assert(std::is_same_v<decltype(ewyk::invoke_non_blocking(by_reference)), int&>);
    ewyk::invoke_non_blocking(by_reference) = 2;
    BOOST_TEST(value == 2);

    auto moved = ewyk::invoke_non_blocking(
        [owned = std::make_unique<int>(3)]() mutable { return std::move(owned); });
    BOOST_TEST(*moved == 3);
}

BOOST_AUTO_TEST_CASE(an_exception_ends_the_mark)
{
    BOOST_CHECK_THROW(
        ewyk::invoke_non_blocking([] { throw std::runtime_error("thrown"); }), std::runtime_error);
    BOOST_TEST(may_block());
}

// The task blocks until its producer has come back, which it could not if it ran the task.
BOOST_AUTO_TEST_CASE(the_caller_comes_back_from_a_task_that_blocks)
{
    for (ewyk::strategy_t const s :
        {ewyk::strategy.eat_what_you_kill, ewyk::strategy.produce_execute_consume})
        for (auto const grace : {std::chrono::nanoseconds::zero(), ewyk::default_grace})
        {
            source tasks;
            event back;
            event ran;
            ewyk::worker_pool pool({.max_threads = 2});
            BOOST_TEST_REQUIRE(warm_up(pool, 2));
            ewyk::execution_strategy frames(tasks, pool, s, grace);
            std::thread::id ran_on;
            bool marked_there = true;
            tasks.add({[&] {
                           ran_on = std::this_thread::get_id();
                           marked_there = !may_block();
                           if (back.wait())
                               ran.set();
                       },
                ewyk::invocation.blocking});
            // tag::produce[]
            ewyk::invoke_non_blocking([&] { frames.produce(); });
            // end::produce[]
            back.set();
            BOOST_TEST(ran.wait());
            BOOST_TEST((ran_on != std::this_thread::get_id()));
            BOOST_TEST(!marked_there);
        }
}

BOOST_AUTO_TEST_CASE(a_full_queue_runs_it_here_nevertheless)
{
    source tasks;
    ewyk::worker_pool pool(
        {.max_threads = 1, .max_queue = 1, .when_full = ewyk::queue_full::caller_runs});
    blockade the_thread(pool, 1);
    BOOST_TEST_REQUIRE(the_thread.holds());
    pool.execute([] {});
    BOOST_TEST_REQUIRE(pool.queued() == 1u);
    ewyk::execution_strategy frames(tasks, pool);
    std::thread::id ran_on;
    tasks.add({[&] { ran_on = std::this_thread::get_id(); }, ewyk::invocation.blocking});
    ewyk::invoke_non_blocking([&] { frames.produce(); });
    BOOST_TEST((ran_on == std::this_thread::get_id()));
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
