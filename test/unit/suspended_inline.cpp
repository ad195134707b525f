// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Stackful coroutines that are suspended in a function that was dispatched from their stack, and
// come back on another thread: the call that they began in has returned.

#include "suspension_support.hpp"
#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/loop/event_loop.hpp>

#include <iostream>
#include <stdexcept>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

#if defined(__GLIBC__)

#include <asio_ewyk/detail/os/thread_stack.hpp>

#include <cerrno>
#include <dlfcn.h>
#include <pthread.h>

namespace {

// As on the first thread of a process without /proc.
thread_local bool stack_is_unknown = false;

} // namespace

// In place of the system's, which it calls.
extern "C" int pthread_getattr_np(pthread_t thread, pthread_attr_t* attributes) noexcept
{
    static auto const real =
        reinterpret_cast<decltype(&::pthread_getattr_np)>(::dlsym(RTLD_NEXT, "pthread_getattr_np"));
    return stack_is_unknown ? ENOENT : real(thread, attributes);
}

#endif

using namespace support;
using asio::yield_context;

BOOST_AUTO_TEST_SUITE(suspended_inline)

namespace {

constexpr ewyk::strategy_t leasing[]
    = {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill};

using strings = std::vector<std::string>;

/// Has a function suspend the coroutine that dispatches it, on a thread that does begin() first.
template <class Options, class Begin>
void leave_the_producer(Options const& s, Begin begin)
{
    context ctx(s);
    auto const never_blocks = asio::require(ctx.get_executor(), ewyk::invocation.non_blocking);
    bool suspended = false;
    bool went_on = false;
    asio::spawn(
        base(ctx).get_executor(),
        [&](yield_context yield) {
            dispatch_from(never_blocks, [&] {
                suspended = true;
                asio::post(yield);
                went_on = true;
            });
        },
        asio::detached);
    on_another_thread([&] {
        begin();
        BOOST_TEST(ctx.run_one() == 1u);
        auto const& record = ewyk::detail::thread_activity::mine();
        BOOST_TEST((record.now().what == nullptr)); // it is not reported as a stall
    });
    run(ctx);
    bool const stays = s.strategy != ewyk::strategy_t::produce_execute_consume;
    BOOST_TEST(suspended == stays);
    BOOST_TEST(went_on == stays);
    // The context is none the worse for it.
    bool ran = false;
    asio::post(ctx, [&] { ran = true; });
    ctx.restart();
    run(ctx);
    BOOST_TEST(ran);
}

} // namespace

// The function is a part of the handler that has resumed the coroutine, whose thread leaves it.
CONTEXT_TEST_CASE(the_producer_that_it_began_in_is_gone, s)
{
    leave_the_producer(s, [] {});
}

#if defined(__GLIBC__)

// So it is where the system does not tell which stack is the thread's own.
CONTEXT_TEST_CASE(the_producer_that_it_began_in_is_gone_from_an_unknown_stack, s)
{
    leave_the_producer(s, [] { stack_is_unknown = true; });
}

// What is not known of the first thread's stack is not taken for a part of it.
BOOST_AUTO_TEST_CASE(the_stack_of_the_first_thread_is_known_without_proc)
{
    using ewyk::detail::thread_stack;
    char const on_stack = 0;
    auto const elsewhere = std::make_unique<char>();
    stack_is_unknown = true;
    auto const first = thread_stack::mine();
    stack_is_unknown = false;
    BOOST_TEST(thread_stack::mine().holds(&on_stack));
    BOOST_TEST(first.holds(&on_stack));
    BOOST_TEST(!first.holds(elsewhere.get()));
    std::thread([&] {
        char const on_another_stack = 0;
        BOOST_TEST(!first.holds(&on_another_stack));
        stack_is_unknown = true;
        BOOST_TEST(!thread_stack::mine().holds(&on_another_stack));
    }).join();
}

#endif

// The same on lease: the right to produce is not taken along.
BOOST_DATA_TEST_CASE(a_lease_that_it_began_on_is_over, leasing, s)
{
    // A parked thread comes because it is told to.
    ewyk::strategy_context ctx({.strategy = s, .grace = 1h, .max_threads = 4});
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
    bool suspended = false;
    bool produced = false;
    while (!suspended)
    {
        asio::steady_timer timer(base(ctx), 1h);
        asio::spawn(
            base(ctx).get_executor(),
            [&](yield_context yield) {
                dispatch_from(ctx.get_executor(), [&] {
                    suspended = true;
                    boost::system::error_code ignored;
                    asio::post(ctx, [&] {
                        produced = true;
                        timer.cancel();
                    });
                    timer.async_wait(yield[ignored]);
                });
            },
            asio::detached);
        on_another_thread([&] { ctx.run(); });
        ctx.restart();
    }
    BOOST_TEST(produced);
}

CONTEXT_TEST_CASE(hundreds_of_times, s)
{
    constexpr int coroutines = 20;
    constexpr int steps = 50;
    context ctx(s);
    std::atomic<int> done{0};
    for (int i = 0; i != coroutines; ++i)
        asio::spawn(
            base(ctx).get_executor(),
            [&, i](yield_context yield) {
                auto const ex = i % 2 == 0
                    ? asio::require(ctx.get_executor(), ewyk::invocation.non_blocking)
                    : ctx.get_executor();
                for (int n = 0; n != steps; ++n)
                    dispatch_from(ex, [&] {
                        asio::steady_timer timer(base(ctx), 10us);
                        timer.async_wait(yield);
                    });
                ++done;
            },
            asio::detached);
    run(ctx);
    BOOST_TEST(done == coroutines);
}

// What it throws then: nothing of the context is on that thread's stack, and it must not be lost.
BOOST_AUTO_TEST_CASE(an_exception_on_a_foreign_thread_goes_to_on_exception)
{
    catcher caught;
    ewyk::strategy_options o;
    o.on_exception = std::ref(caught);
    ewyk::strategy_context ctx(o);
    ewyk::worker_pool pool({.on_exception = std::ref(caught)});
    auto const throw_there = [&](auto ex) {
        asio::io_context foreign;
        event begun;
        asio::spawn(
            foreign,
            [&](yield_context yield) {
                asio::dispatch(ex, [&] {
                    asio::post(yield);
                    throw std::runtime_error("stray");
                });
            },
            asio::detached);
        asio::post(ex, [&] {
            foreign.run_one();
            begun.set();
        });
        ctx.run();
        BOOST_TEST(begun.wait());
        BOOST_TEST(foreign.run() == 1u);
    };
    throw_there(ctx.get_executor());
    BOOST_TEST((caught.caught() == strings{"stray"}));
    BOOST_TEST(ctx.metrics().exceptions == 1u);
    throw_there(pool.get_executor());
    BOOST_TEST((caught.caught() == strings{"stray", "stray"}));
    BOOST_TEST(pool.metrics().exceptions == 1u);
}

BOOST_AUTO_TEST_CASE(a_loop_knows_that_it_is_away)
{
    std::atomic<bool> went_on{false};
    event looked;
    ewyk::event_loop loop({.timing = true});
    asio::steady_timer timer(base(loop), 1h);
    asio::spawn(
        base(loop),
        [&](yield_context yield) {
            dispatch_from(loop.get_executor(), [&] {
                boost::system::error_code ignored;
                timer.async_wait(yield[ignored]);
                went_on = true;
            });
        },
        asio::detached);
    bool idle = false;
    loop.start();
    // Behind the wake-up that is due.
    asio::post(base(loop), [&] {
        asio::post(base(loop), [&] {
            auto const& record = ewyk::detail::thread_activity::mine();
            idle = record.now().what == nullptr;
            looked.set();
        });
    });
    BOOST_TEST(looked.wait());
    BOOST_TEST(idle); // it is not reported as a stall
    BOOST_TEST(!went_on);
    asio::post(loop, [&] { timer.cancel(); });
    BOOST_TEST(eventually([&] { return went_on.load(); }));
}

// The loop is gone, with its thread and all that it measures.
BOOST_AUTO_TEST_CASE(a_loop_that_it_began_in_is_gone)
{
    asio::io_context foreign;
    catcher caught;
    bool went_on = false;
    {
        event begun;
        ewyk::event_loop loop({.on_exception = std::ref(caught), .timing = true});
        asio::spawn(
            foreign,
            [&](yield_context yield) {
                dispatch_from(loop.get_executor(), [&] {
                    asio::post(yield);
                    went_on = true;
                });
            },
            asio::detached);
        asio::post(base(loop), [&] {
            foreign.run_one();
            begun.set();
        });
        loop.start();
        BOOST_TEST(begun.wait());
        BOOST_TEST(!went_on);
    }
    BOOST_TEST(foreign.run() == 1u);
    BOOST_TEST(went_on);
}

BOOST_AUTO_TEST_CASE(a_loop_hears_of_an_exception_on_a_foreign_thread)
{
    asio::io_context foreign;
    catcher caught;
    event begun;
    ewyk::event_loop loop({.on_exception = std::ref(caught)});
    asio::spawn(
        foreign,
        [&](yield_context yield) {
            asio::dispatch(loop.get_executor(), [&] {
                asio::post(yield);
                throw std::runtime_error("stray");
            });
        },
        asio::detached);
    asio::post(loop, [&] {
        foreign.run_one();
        begun.set();
    });
    BOOST_TEST(begun.wait());
    BOOST_TEST(foreign.run() == 1u);
    BOOST_TEST((caught.caught() == strings{"stray"}));
    BOOST_TEST(loop.metrics().exceptions == 1u);
}

#if defined(__unix__)

namespace {

/// Whether a child process ends in which a function throws that was dispatched to a context, a pool
/// or a loop which is gone by then.
template <class Context, class Options>
bool child_terminates(Options options)
{
    constexpr int terminated = 42;
    constexpr int reported = 43;
    std::cout.flush(); // or the child would write what waits to be written, too
    pid_t const child = ::fork();
    if (child == 0)
    {
        std::set_terminate([] { ::_exit(terminated); });
        asio::io_context foreign;
        {
            options.on_exception = [](std::exception_ptr) { ::_exit(reported); };
            Context ctx(options);
            event begun;
            asio::spawn(
                foreign,
                [&](yield_context yield) {
                    asio::dispatch(ctx.get_executor(), [&] {
                        asio::post(yield);
                        throw std::runtime_error("none is left");
                    });
                },
                asio::detached);
            asio::post(ctx, [&] {
                foreign.run_one();
                begun.set();
            });
            if constexpr (requires { ctx.run(); })
                ctx.run();
            if (!begun.wait())
                ::_exit(0);
        }
        foreign.run();
        ::_exit(0);
    }
    int status = 0;
    BOOST_TEST_REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == terminated;
}

} // namespace

BOOST_AUTO_TEST_CASE(an_exception_when_all_are_gone_ends_the_program)
{
    BOOST_TEST(child_terminates<ewyk::strategy_context>(ewyk::strategy_options()));
    BOOST_TEST(child_terminates<ewyk::worker_pool>(ewyk::worker_pool_options()));
    BOOST_TEST(child_terminates<ewyk::event_loop>(ewyk::event_loop_options()));
}

#endif

BOOST_AUTO_TEST_SUITE_END()
