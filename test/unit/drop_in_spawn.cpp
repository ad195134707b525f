// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Stackful coroutines, asio::spawn with yield_context: a whole stack moves from thread to thread.

#include "support.hpp"

#include <boost/asio/spawn.hpp>

#include <future>
#include <stdexcept>
#include <string>
#include <tuple>

using namespace support;
using asio::yield_context;
using boost::system::error_code;
using local_socket = asio::local::stream_protocol::socket;

namespace {

int sum_down_from(int n, yield_context yield)
{
    if (n == 0)
    {
        asio::steady_timer timer(yield.get_executor(), 1ms);
        timer.async_wait(yield);
        return 0;
    }
    return n + sum_down_from(n - 1, yield);
}

}

BOOST_AUTO_TEST_SUITE(drop_in_spawn)

CONTEXT_TEST_CASE(reads_and_writes, s)
{
    constexpr int pairs = 8;
    constexpr int messages = 100;
    context ctx(s);
    std::vector<local_socket> sockets;
    std::atomic<int> echoed{0};
    for (int i = 0; i < 2 * pairs; ++i)
        sockets.emplace_back(ctx);
    for (std::size_t i = 0; i < sockets.size(); i += 2)
    {
        asio::local::connect_pair(sockets[i], sockets[i + 1]);
        asio::spawn(
            ctx,
            [&server = sockets[i]](yield_context yield) {
                int message = 0;
                for (int n = 0; n < messages; ++n)
                {
                    asio::async_read(server, asio::buffer(&message, sizeof message), yield);
                    asio::async_write(server, asio::buffer(&message, sizeof message), yield);
                }
            },
            asio::detached);
        asio::spawn(
            ctx,
            [&echoed, &client = sockets[i + 1]](yield_context yield) {
                for (int n = 0; n < messages; ++n)
                {
                    int answer = -1;
                    asio::async_write(client, asio::buffer(&n, sizeof n), yield);
                    asio::async_read(client, asio::buffer(&answer, sizeof answer), yield);
                    echoed += answer == n;
                }
            },
            asio::detached);
    }
    run(ctx);
    BOOST_TEST(echoed == pairs * messages);
}

CONTEXT_TEST_CASE(hundreds_that_move_at_each_step, s)
{
    constexpr int count = 200;
    constexpr int steps = 20;
    context ctx(s);
    std::atomic<int> right{0};
    for (int i = 0; i < count; ++i)
        asio::spawn(
            ctx,
            [&right, i](yield_context yield) {
                std::string of_the_stack = "coroutine ";
                for (int step = 0; step < steps; ++step)
                {
                    of_the_stack += std::to_string(i);
                    asio::post(yield);
                }
                right += of_the_stack.size() == 10 + steps * std::to_string(i).size();
            },
            asio::detached);
    run(ctx);
    BOOST_TEST(right == count);
}

// A coroutine is a chain: whichever threads resume it, never two at a time.
CONTEXT_TEST_CASE(is_its_own_strand, s)
{
    context ctx(s);
    overlap inside;
    int steps = 0;
    asio::spawn(
        ctx,
        [&](yield_context yield) {
            for (int i = 0; i < 1000; ++i)
            {
                inside.enter();
                ++steps;
                inside.leave();
                asio::post(yield);
            }
        },
        asio::detached);
    run(ctx);
    BOOST_TEST(steps == 1000);
    BOOST_TEST(!inside.seen());
}

CONTEXT_TEST_CASE(stays_on_its_strand, s)
{
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    bool on_strand = true;
    asio::spawn(
        strand,
        [&](yield_context yield) {
            for (int i = 0; i < 20; ++i)
            {
                asio::steady_timer timer(ctx, 10us);
                timer.async_wait(yield);
                on_strand = on_strand && strand.running_in_this_thread();
            }
        },
        asio::detached);
    run(ctx);
    BOOST_TEST(on_strand);
}

CONTEXT_TEST_CASE(gives_its_value_to_a_future, s)
{
    context ctx(s);
    auto sum = asio::spawn(
        ctx, [](yield_context yield) { return sum_down_from(50, yield); }, asio::use_future);
    run(ctx);
    BOOST_TEST_REQUIRE((sum.wait_for(0s) == std::future_status::ready));
    BOOST_TEST(sum.get() == 50 * 51 / 2);
}

CONTEXT_TEST_CASE(an_exception_reaches_the_handler, s)
{
    context ctx(s);
    std::exception_ptr error;
    asio::spawn(
        ctx,
        [](yield_context yield) {
            asio::post(yield);
            throw std::runtime_error("no luck");
        },
        [&](std::exception_ptr e) { error = e; });
    run(ctx);
    BOOST_TEST(message_of(error) == "no luck");
}

CONTEXT_TEST_CASE(is_cancelled_through_its_slot, s)
{
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    asio::cancellation_signal signal;
    error_code result;
    bool ended = false;
    asio::spawn(
        strand,
        [&](yield_context yield) {
            asio::steady_timer timer(strand, 1h);
            timer.async_wait(yield[result]);
        },
        asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr) { ended = true; }));
    asio::post(strand, [&] { signal.emit(asio::cancellation_type::all); });
    run(ctx);
    BOOST_TEST((result == asio::error::operation_aborted));
    BOOST_TEST(ended);
}

// Its stack is unwound: what lives there is destroyed.
CONTEXT_TEST_CASE(is_destroyed_where_it_waits, s)
{
    constexpr int count = 5;
    census locals;
    {
        context ctx(s);
        for (int i = 0; i < count; ++i)
            asio::spawn(
                ctx,
                [&](yield_context yield) {
                    resident const here(locals);
                    asio::steady_timer timer(ctx, 1h);
                    if (locals.made == count)
                        ctx.stop();
                    timer.async_wait(yield);
                    here();
                },
                asio::detached);
        run(ctx);
    }
    BOOST_TEST(locals.made == count);
    BOOST_TEST(locals.destroyed == count);
    BOOST_TEST(locals.ran == 0);
}

// What runs inline runs on the coroutine's stack, and may come back on another thread, while the
// call of run_one() that it began in has returned.
CONTEXT_TEST_CASE(an_exception_leaves_the_call_that_it_comes_to, s)
{
    if (!s.steps_in_place)
        return;
    context ctx(s);
    bool moved = false;
    bool went_on = false;
    asio::spawn(
        ctx,
        [&](yield_context yield) {
            asio::dispatch(ctx, [&, first = std::this_thread::get_id()] {
                asio::post(yield);
                moved = std::this_thread::get_id() != first;
                throw std::runtime_error("late");
            });
            went_on = true;
        },
        asio::detached);
    BOOST_TEST(ctx.run_one() == 1u);
    std::string thrown;
    std::thread second([&] {
        try
        {
            ctx.run_one();
        }
        catch (std::runtime_error const& e)
        {
            thrown = e.what();
        }
    });
    second.join();
    BOOST_TEST(moved);
    BOOST_TEST(went_on);
    BOOST_TEST(thrown == "late");
}

BOOST_AUTO_TEST_SUITE_END()
