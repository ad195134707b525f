// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Coroutines on a strategy_context: co_spawn in all its forms, the awaitable operators, and
// experimental::coro.

#include "pool_support.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
// First: coroutines have a concept of a name that channels take for the class.
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/experimental/coro.hpp>
#include <boost/asio/experimental/use_coro.hpp>

#include <future>
#include <memory>
#include <stdexcept>
#include <string>

using namespace support;
using asio::awaitable;
using asio::use_awaitable;
using asio::experimental::coro;
using boost::system::error_code;
using namespace asio::experimental::awaitable_operators;

namespace {

awaitable<void> nap(std::chrono::microseconds duration = 1ms)
{
    asio::steady_timer timer(co_await asio::this_coro::executor, duration);
    co_await timer.async_wait(use_awaitable);
}

awaitable<int> twice(int n)
{
    co_await nap();
    co_return 2 * n;
}

awaitable<int> fails(char const* why)
{
    co_await nap();
    throw std::runtime_error(why);
}

/// Recurses by co_await, and suspends at the bottom: frames of many functions cross threads.
awaitable<int> sum_to(int n)
{
    if (n == 0)
    {
        co_await nap();
        co_return 0;
    }
    co_return n + co_await sum_to(n - 1);
}

coro<int> count_up(asio::any_io_executor on, int end)
{
    asio::steady_timer timer(on);
    for (int i = 1; i <= end; ++i)
    {
        timer.expires_after(100us);
        co_await timer.async_wait(asio::experimental::use_coro);
        co_yield i;
    }
}

coro<void, int> add_up(asio::any_io_executor on, int end)
{
    int sum = 0;
    auto numbers = count_up(on, end);
    while (auto const n = co_await numbers)
        sum += *n;
    co_return sum;
}

coro<void> fails_at_once(asio::any_io_executor)
{
    throw std::runtime_error("no coro");
    co_return;
}

}

BOOST_AUTO_TEST_SUITE(drop_in_coroutine)

CONTEXT_TEST_CASE(returns_a_value_to_a_handler, s)
{
    context ctx(s);
    int result = 0;
    std::exception_ptr error;
    asio::co_spawn(ctx, twice(21), [&](std::exception_ptr e, int n) {
        error = e;
        result = n;
    });
    run(ctx);
    BOOST_TEST(!error);
    BOOST_TEST(result == 42);
}

CONTEXT_TEST_CASE(returns_a_value_to_a_future, s)
{
    context ctx(s);
    auto result = asio::co_spawn(ctx.get_executor(), twice(4), asio::use_future);
    run(ctx);
    BOOST_TEST(result.get() == 8);
}

CONTEXT_TEST_CASE(an_exception_reaches_the_handler, s)
{
    context ctx(s);
    std::exception_ptr error;
    asio::co_spawn(ctx, fails("no luck"), [&](std::exception_ptr e, int) { error = e; });
    run(ctx);
    BOOST_TEST(message_of(error) == "no luck");
}

CONTEXT_TEST_CASE(an_exception_is_caught_by_the_caller_and_run_goes_on, s)
{
    context ctx(s);
    std::string caught;
    bool went_on = false;
    asio::co_spawn(
        ctx,
        [&]() -> awaitable<void> {
            try
            {
                co_await fails("inner");
            }
            catch (std::runtime_error const& e)
            {
                caught = e.what();
            }
            co_await nap();
            went_on = true;
        },
        asio::detached);
    run(ctx);
    BOOST_TEST(caught == "inner");
    BOOST_TEST(went_on);
}

CONTEXT_TEST_CASE(an_error_code_becomes_a_system_error, s)
{
    context ctx(s);
    auto const strand = asio::make_strand(ctx); // the timer is cancelled after the wait has begun
    asio::steady_timer timer(ctx, 1h);
    error_code thrown;
    error_code redirected;
    asio::co_spawn(
        strand,
        [&]() -> awaitable<void> {
            asio::post(strand, [&] { timer.cancel(); });
            try
            {
                co_await timer.async_wait(use_awaitable);
            }
            catch (boost::system::system_error const& e)
            {
                thrown = e.code();
            }
            asio::post(strand, [&] { timer.cancel(); });
            co_await timer.async_wait(asio::redirect_error(use_awaitable, redirected));
        },
        asio::detached);
    run(ctx);
    BOOST_TEST((thrown == asio::error::operation_aborted));
    BOOST_TEST((redirected == asio::error::operation_aborted));
}

CONTEXT_TEST_CASE(nests_by_co_await, s)
{
    context ctx(s);
    auto sum = asio::co_spawn(ctx, sum_to(200), asio::use_future);
    run(ctx);
    BOOST_TEST(sum.get() == 200 * 201 / 2);
}

CONTEXT_TEST_CASE(nests_by_co_spawn, s)
{
    context ctx(s);
    int result = 0;
    asio::co_spawn(
        ctx,
        [&]() -> awaitable<void> {
            auto const ex = co_await asio::this_coro::executor;
            int const a = co_await asio::co_spawn(ex, twice(3), use_awaitable);
            int const b = co_await asio::co_spawn(asio::make_strand(ex), twice(a), use_awaitable);
            result = a + b;
        },
        asio::detached);
    run(ctx);
    BOOST_TEST(result == 18);
}

CONTEXT_TEST_CASE(thousands_of_detached_coroutines, s)
{
    constexpr int count = 2000;
    context ctx(s);
    std::atomic<int> ended{0};
    for (int i = 0; i < count; ++i)
        asio::co_spawn(
            ctx,
            [&ended, i]() -> awaitable<void> {
                for (int n = 0; n < 3; ++n)
                {
                    co_await asio::post(use_awaitable);
                    co_await nap(std::chrono::microseconds(i % 100));
                }
                ++ended;
            },
            asio::detached);
    run(ctx);
    BOOST_TEST(ended == count);
}

// A coroutine is a chain: whichever threads resume it, never two at a time.
CONTEXT_TEST_CASE(a_coroutine_is_its_own_strand, s)
{
    context ctx(s);
    overlap inside;
    int steps = 0;
    asio::co_spawn(
        ctx,
        [&]() -> awaitable<void> {
            for (int i = 0; i < 2000; ++i)
            {
                inside.enter();
                ++steps;
                inside.leave();
                co_await asio::post(use_awaitable);
            }
        },
        asio::detached);
    run(ctx);
    BOOST_TEST(steps == 2000);
    BOOST_TEST(!inside.seen());
}

CONTEXT_TEST_CASE(knows_the_executor_it_was_spawned_on, s)
{
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    bool same = false;
    bool on_strand = true;
    asio::co_spawn(
        strand,
        [&]() -> awaitable<void> {
            same = (co_await asio::this_coro::executor) == asio::any_io_executor(strand);
            for (int i = 0; i < 20; ++i)
            {
                co_await nap(10us);
                on_strand = on_strand && strand.running_in_this_thread();
            }
        },
        asio::detached);
    run(ctx);
    BOOST_TEST(same);
    BOOST_TEST(on_strand);
}

// With the concrete executor there is no erasure between the coroutine and the context.
CONTEXT_TEST_CASE(awaitable_of_the_concrete_executor, s)
{
    context ctx(s);
    bool same = false;
    asio::co_spawn(
        ctx.get_executor(),
        [&]() -> awaitable<void, executor> {
            executor const ex = co_await asio::this_coro::executor;
            same = ex == ctx.get_executor();
            asio::basic_waitable_timer<std::chrono::steady_clock,
                asio::wait_traits<std::chrono::steady_clock>, executor>
                timer(ex, 1ms);
            co_await timer.async_wait(asio::use_awaitable_t<executor>());
        },
        asio::detached);
    run(ctx);
    BOOST_TEST(same);
}

// Two coroutines that race for one result share state: on a strand, as on any context with several
// threads.
CONTEXT_TEST_CASE(operator_and_gives_all_results, s)
{
    context ctx(s);
    int first = 0;
    int second = 0;
    asio::co_spawn(
        asio::make_strand(ctx),
        [&]() -> awaitable<void> {
            auto const [a, b] = co_await (twice(1) && twice(2));
            first = a;
            second = b;
        },
        asio::detached);
    run(ctx);
    BOOST_TEST(first == 2);
    BOOST_TEST(second == 4);
}

// A coroutine never runs concurrently with itself, but the operands of an operator are coroutines of
// their own. These wait for each other.
BOOST_AUTO_TEST_CASE(operands_overlap)
{
    gathering both;
    bool overlap = false;
    ewyk::strategy_context ctx(ewyk::strategy.execute_produce_consume);
    auto const operand = [&]() -> awaitable<bool> {
        co_await nap();
        co_return both.arrive_and_wait_for(2);
    };
    asio::co_spawn(
        ctx,
        [&]() -> awaitable<void> {
            auto const [a, b] = co_await (operand() && operand());
            overlap = a && b;
        },
        asio::detached);
    ctx.run();
    BOOST_TEST(overlap);
}

BOOST_AUTO_TEST_CASE(operands_do_not_overlap_on_a_strand)
{
    int inside = 0; // a data race without the strand
    bool overlap = false;
    ewyk::strategy_context ctx(ewyk::strategy.execute_produce_consume, {.grace = 0ns});
    auto const operand = [&]() -> awaitable<void> {
        for (int i = 0; i != 100; ++i)
        {
            co_await nap(20us);
            overlap = overlap || ++inside != 1;
            std::this_thread::yield();
            --inside;
        }
    };
    asio::co_spawn(
        asio::make_strand(ctx),
        [&]() -> awaitable<void> { co_await (operand() && operand()); }, asio::detached);
    ctx.run();
    BOOST_TEST(!overlap);
    BOOST_TEST(inside == 0);
}

CONTEXT_TEST_CASE(operator_or_cancels_the_loser, s)
{
    context ctx(s);
    census losers;
    std::size_t winner = 99;
    asio::co_spawn(
        asio::make_strand(ctx),
        [&]() -> awaitable<void> {
            auto const never = [&]() -> awaitable<void> {
                resident const here(losers);
                co_await nap(1h);
                here();
            };
            auto const result = co_await (never() || twice(5) || never());
            winner = result.index();
            LOCKED_TEST(std::get<1>(result) == 10);
        },
        asio::detached);
    run(ctx);
    BOOST_TEST(winner == 1u);
    BOOST_TEST(losers.made == 2);
    BOOST_TEST(losers.destroyed == 2);
    BOOST_TEST(losers.ran == 0);
}

CONTEXT_TEST_CASE(operator_and_fails_with_the_first_failure, s)
{
    context ctx(s);
    std::string caught;
    asio::co_spawn(
        asio::make_strand(ctx),
        [&]() -> awaitable<void> {
            try
            {
                co_await (fails("one of two") && nap(1h));
            }
            catch (asio::multiple_exceptions const& e)
            { // the other one was cancelled
                caught = message_of(e.first_exception());
            }
        },
        asio::detached);
    run(ctx);
    BOOST_TEST(caught == "one of two");
}

CONTEXT_TEST_CASE(a_coroutine_is_cancelled_through_its_slot, s)
{
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    asio::cancellation_signal signal;
    std::exception_ptr error;
    asio::co_spawn(strand, nap(1h),
        asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr e) { error = e; }));
    asio::post(strand, [&] { signal.emit(asio::cancellation_type::terminal); });
    run(ctx);
    BOOST_TEST_REQUIRE(static_cast<bool>(error));
    BOOST_CHECK_THROW(std::rethrow_exception(error), boost::system::system_error);
}

CONTEXT_TEST_CASE(coros_that_yield_and_return, s)
{
    context ctx(s);
    int sum = 0;
    std::exception_ptr error;
    auto adding = add_up(ctx.get_executor(), 50);
    adding.async_resume([&](std::exception_ptr e, int n) {
        LOCKED_TEST(!e);
        sum = n;
    });
    auto failing = fails_at_once(ctx.get_executor());
    failing.async_resume([&](std::exception_ptr e) { error = e; });
    run(ctx);
    BOOST_TEST(sum == 50 * 51 / 2);
    BOOST_TEST(message_of(error) == "no coro");
}

BOOST_AUTO_TEST_SUITE_END()
