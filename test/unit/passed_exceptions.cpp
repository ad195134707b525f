// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What handlers throw on threads of the pool: it leaves run() or a sibling, as with an io_context.

#include "pool_support.hpp"
#include <asio_ewyk.hpp>

#include <iostream>
#include <stdexcept>
#include <string>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace support;

BOOST_AUTO_TEST_SUITE(passed_exceptions)

namespace {

constexpr auto pec = ewyk::strategy_t(ewyk::strategy.produce_execute_consume);
constexpr auto pc = ewyk::strategy_t(ewyk::strategy.produce_consume);

void fail()
{
    throw std::runtime_error("from a handler");
}

/// Calls run() again and again, as an app does that goes on after an exception; how many it caught.
int run_on(ewyk::strategy_context& ctx)
{
    for (int caught = 0;;)
        try
        {
            ctx.run();
            return caught;
        }
        catch (std::runtime_error const&)
        {
            ++caught;
        }
}

} // namespace

CONTEXT_TEST_CASE(each_leaves_one_call_of_run, s)
{
    ewyk::strategy_context ctx(s.strategy, options(s));
    deadline const in_time(ctx);
    std::atomic<int> ran{0};
    for (int i = 0; i != 200; ++i)
        asio::post(ctx, [&, i] {
            ++ran;
            if (i % 2 == 0)
                fail();
        });
    std::atomic<int> caught{0};
    std::vector<std::thread> callers;
    for (std::size_t i = 1; i < s.callers; ++i)
        callers.emplace_back([&] { caught += run_on(ctx); });
    caught += run_on(ctx);
    for (auto& t : callers)
        t.join();
    // What one caller has left with while others waited for their turn.
    ctx.restart();
    caught += run_on(ctx);
    BOOST_TEST(ran == 200);
    BOOST_TEST(caught == 100);
    BOOST_TEST(ctx.metrics().exceptions == 100u);
}

// It waits inside the io_context; and there is work, so nothing else would bring it back.
BOOST_AUTO_TEST_CASE(wakes_a_caller_that_waits_for_io)
{
    for (bool const stays : {false, true})
    {
        ewyk::strategy_context ctx(stays ? ewyk::strategy_t{} : pec);
        deadline const in_time(ctx);
        auto const work = asio::make_work_guard(ctx);
        for (int i = 0; i != 500; ++i) // so that it stays inside
            asio::post(asio::require(ctx.get_executor(), pc), [] {});
        asio::post(asio::require(ctx.get_executor(), pec), &fail);
        BOOST_CHECK_THROW(ctx.run(), std::runtime_error);
        BOOST_TEST(!ctx.stopped());
    }
}

// Two callers: one is inside the io_context, the other one is parked.
BOOST_AUTO_TEST_CASE(leaves_each_of_two_callers)
{
    gathering both;
    ewyk::strategy_context ctx(pec);
    deadline const in_time(ctx);
    auto const work = asio::make_work_guard(ctx);
    std::atomic<int> caught{0};
    auto const run = [&] {
        try
        {
            ctx.run();
        }
        catch (std::runtime_error const&)
        {
            ++caught;
        }
    };
    for (int i = 0; i != 2; ++i)
        asio::post(ctx, [&] {
            both.arrive_and_wait_for(2);
            fail();
        });
    std::thread other(run);
    run();
    other.join();
    BOOST_TEST(caught == 2);
}

BOOST_AUTO_TEST_CASE(leaves_a_call_that_steps)
{
    event begin;
    ewyk::strategy_context ctx(pec);
    deadline const in_time(ctx);
    auto work = asio::make_work_guard(ctx);
    asio::post(ctx, [&] {
        begin.wait();
        fail();
    });
    ctx.poll(); // it is given to the pool, and waits there
    asio::post(asio::require(ctx.get_executor(), pc), [&] { begin.set(); });
    BOOST_CHECK_THROW(
        for (;;) ctx.run_one(), std::runtime_error);
    work.reset();
    BOOST_TEST(ctx.run() == 0u);
}

// The last run() waits for the handler, though the context is stopped.
BOOST_AUTO_TEST_CASE(leaves_a_run_that_waits_for_the_pool)
{
    event begun;
    ewyk::strategy_context ctx(pec);
    deadline const in_time(ctx);
    asio::post(ctx, [&] {
        begun.set();
        ctx.stop();
        std::this_thread::sleep_for(20ms); // so that it waits, most times
        fail();
    });
    BOOST_CHECK_THROW(ctx.run(), std::runtime_error);
    BOOST_TEST(ctx.stopped());
}

// A call inside a handler could catch what is none of its own.
BOOST_AUTO_TEST_CASE(does_not_leave_a_call_inside_a_handler)
{
    ewyk::strategy_context ctx(pec);
    deadline const in_time(ctx);
    bool caught_inside = false;
    asio::post(asio::require(ctx.get_executor(), pc), [&] {
        try
        {
            ctx.run_one();
        }
        catch (std::runtime_error const&)
        {
            caught_inside = true;
        }
    });
    asio::post(ctx, &fail);
    BOOST_TEST(run_on(ctx) == 1);
    BOOST_TEST(!caught_inside);
}

// It belongs to the context whose handler threw.
BOOST_AUTO_TEST_CASE(with_a_shared_pool)
{
    ewyk::worker_pool pool;
    ewyk::strategy_context quiet(pool, pec);
    ewyk::strategy_context ctx(pool, pec);
    deadline const in_time(ctx);
    auto work = asio::make_work_guard(quiet);
    std::thread other([&] { quiet.run(); });
    for (int i = 0; i != 50; ++i)
    {
        asio::post(ctx, &fail);
        asio::post(quiet, [] {});
    }
    BOOST_TEST(run_on(ctx) == 50);
    work.reset();
    other.join(); // nothing has left it
    BOOST_TEST(pool.metrics().exceptions == 0u);
}

BOOST_AUTO_TEST_CASE(on_exception_is_asked_first)
{
    event asked;
    std::atomic<int> caught{0};
    ewyk::strategy_context ctx(pec, {.on_exception = [&](std::exception_ptr) {
        ++caught;
        asked.set();
    }});
    deadline const in_time(ctx);
    asio::post(ctx, &fail);
    // Not run(): where the pool's thread is late, its caller runs the task itself.
    ctx.poll();
    BOOST_TEST(asked.wait());
    BOOST_TEST(run_on(ctx) == 0);
    BOOST_TEST(caught == 1);
}

// One that is left when the context is destroyed is destroyed with it.
BOOST_AUTO_TEST_CASE(left_behind)
{
    for (bool const again : {true, false})
    {
        gathering both;
        ewyk::strategy_context ctx(pec);
        deadline const in_time(ctx);
        for (int i = 0; i != 2; ++i)
            asio::post(ctx, [&] {
                both.arrive_and_wait_for(2);
                fail();
            });
        BOOST_CHECK_THROW(ctx.run(), std::runtime_error);
        // The last call has waited for the other handler.
        if (again)
            BOOST_CHECK_THROW(ctx.poll(), std::runtime_error);
    }
}

#if defined(__unix__) && !defined(ASIO_EWYK_TEST_SANITIZED)

BOOST_AUTO_TEST_CASE(without_a_caller_the_program_ends)
{
    constexpr int terminated = 42;
    std::cout.flush(); // or the child would write what waits to be written, too
    pid_t const child = ::fork();
    if (child == 0)
    {
        ::alarm(100); // no test case looks after it
        std::set_terminate([] { ::_exit(terminated); });
        event left;
        ewyk::strategy_context ctx(pec);
        auto const work = asio::make_work_guard(ctx);
        asio::post(ctx, [&] {
            left.wait();
            fail();
        });
        ctx.poll();
        left.set();
        std::this_thread::sleep_for(patience);
        ::_exit(1);
    }
    int status = 0;
    BOOST_TEST_REQUIRE(::waitpid(child, &status, 0) == child);
    BOOST_TEST((WIFEXITED(status) && WEXITSTATUS(status) == terminated));
}

#endif

BOOST_AUTO_TEST_SUITE_END()
