// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Stackful coroutines that are destroyed while they are suspended in a function that was dispatched
// from their stack, and threads that are cancelled in one: what unwinds the stack is no exception
// of a handler's.

#include "suspension_support.hpp"

#include <asio_ewyk/loop/event_loop.hpp>

#include <boost/context/fiber.hpp>

#include <optional>

#if defined(__GLIBC__)
#include <pthread.h>
#include <unistd.h>
#endif

using namespace support;
using asio::yield_context;

BOOST_AUTO_TEST_SUITE(unwound_inline)

namespace {

/// What became of a coroutine, which lives longer than its stack.
struct fate
{
    bool suspended = false;
    bool unwound = false;
    bool went_on = false;
};

/// On the stack: says that it was unwound.
struct unwinding
{
    explicit unwinding(fate& f) : of(f) {}
    unwinding(unwinding const&) = delete;
    unwinding& operator=(unwinding const&) = delete;
    ~unwinding() { of.unwound = true; }

    fate& of;
};

/// Spawns a coroutine that dispatches to `ex` a function that waits for ever.
template <class Executor>
void spawn_and_wait(asio::io_context& on, Executor const& ex, fate& f)
{
    asio::spawn(
        on.get_executor(),
        [&on, &f, ex](yield_context yield) {
            unwinding const leaves(f);
            dispatch_from(ex, [&] {
                asio::steady_timer never(on, 1h);
                f.suspended = true;
                never.async_wait(yield);
                f.went_on = true;
            });
            f.went_on = true;
        },
        asio::detached);
}

void check_unwound(fate const& f)
{
    BOOST_TEST(f.suspended);
    BOOST_TEST(f.unwound);
    BOOST_TEST(!f.went_on);
}

} // namespace

CONTEXT_TEST_CASE(with_its_context, s)
{
    fate f;
    {
        context ctx(s);
        auto const never_blocks = asio::require(ctx.get_executor(), ewyk::invocation.non_blocking);
        spawn_and_wait(base(ctx), never_blocks, f);
        on_another_thread([&] { ctx.poll(); });
        BOOST_TEST(f.unwound == !f.suspended); // else it is a task, which finds the coroutine gone
        BOOST_TEST(ctx.metrics().exceptions == 0u);
    }
    if (f.suspended)
        check_unwound(f);
}

// The io_context itself is run, so the function is Asio's to call.
BOOST_AUTO_TEST_CASE(with_a_context_that_is_run_as_an_io_context)
{
    fate f;
    {
        ewyk::strategy_context ctx;
        spawn_and_wait(base(ctx), ctx.get_executor(), f);
        base(ctx).poll();
    }
    check_unwound(f);
}

BOOST_AUTO_TEST_CASE(with_its_loop)
{
    fate f;
    {
        event passed;
        ewyk::event_loop loop;
        loop.start();
        spawn_and_wait(base(loop), loop.get_executor(), f);
        asio::post(base(loop), [&] { passed.set(); });
        BOOST_TEST(passed.wait());
    }
    check_unwound(f);
}

BOOST_AUTO_TEST_CASE(with_the_context_that_it_waits_in)
{
    fate f;
    ewyk::worker_pool pool;
    {
        asio::io_context foreign;
        spawn_and_wait(foreign, pool.get_executor(), f);
        event passed;
        asio::post(pool, [&] {
            foreign.poll();
            passed.set();
        });
        BOOST_TEST(passed.wait());
    }
    check_unwound(f);
    BOOST_TEST(pool.metrics().exceptions == 0u);
}

// The thread is still inside of the producer that called the function.
CONTEXT_TEST_CASE(by_the_handler_that_resumed_it, s)
{
    using boost::context::fiber;
    context ctx(s);
    auto const never_blocks = asio::require(ctx.get_executor(), ewyk::invocation.non_blocking);
    fate f;
    int captured = 0;
    asio::post(base(ctx).get_executor(), [&] {
        {
            fiber coroutine([&](fiber&& back) {
                unwinding const leaves(f);
                dispatch_from(never_blocks, [&] {
                    f.suspended = true;
                    back = std::move(back).resume();
                    f.went_on = true;
                });
                f.went_on = true;
                return std::move(back);
            });
            coroutine = std::move(coroutine).resume();
        }
        // As before the function: inside the producer, where what may block becomes a task.
        asio::dispatch(ctx.get_executor(), [&] { ++captured; });
    });
    run(ctx);
    if (f.suspended)
        check_unwound(f);
    BOOST_TEST(captured == 1);
    BOOST_TEST(ctx.metrics().exceptions == 0u);
    asio::post(ctx, [&] { ++captured; });
    ctx.restart();
    run(ctx);
    BOOST_TEST(captured == 2);
}

#if defined(__GLIBC__)

namespace {

/// Cancels a thread that waits in a function which run(f) calls by way of an executor.
template <class Run>
void cancel_in_place(Run run)
{
    event waits;
    std::atomic<bool> unwound{false};
    std::thread thread([&] {
        run([&] {
            struct leave
            {
                std::atomic<bool>& done;
                ~leave() { done = true; }
            } const leaves{unwound};
            waits.set();
            for (;;)
                ::pause();
        });
    });
    BOOST_TEST(waits.wait());
    BOOST_TEST_REQUIRE(::pthread_cancel(thread.native_handle()) == 0);
    thread.join();
    BOOST_TEST(unwound);
}

} // namespace

CONTEXT_TEST_CASE(a_thread_that_is_cancelled, s)
{
    context ctx(s);
    auto const never_blocks = asio::require(ctx.get_executor(), ewyk::invocation.non_blocking);
    if (s.strategy == ewyk::strategy_t::produce_execute_consume)
        return; // The function would run on a thread of the pool.
    cancel_in_place([&](auto f) {
        asio::post(base(ctx).get_executor(), [&, f] { asio::dispatch(never_blocks, f); });
        ctx.run_one();
    });
    BOOST_TEST(ctx.metrics().exceptions == 0u);
    bool ran = false;
    asio::post(ctx, [&] { ran = true; });
    ctx.restart();
    run(ctx);
    BOOST_TEST(ran);
}

#endif

BOOST_AUTO_TEST_SUITE_END()
