// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A process that forks, with notify_fork() before and after: parent and child both go on.

#include "pool_support.hpp"
#include <asio_ewyk.hpp>

#include <iostream>
#include <memory>
#include <utility>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace support;

#if defined(__unix__)

BOOST_AUTO_TEST_SUITE(notify_fork)

namespace {

constexpr int right = 42;

/// Forks; the child does something and says whether that went well, and so does the parent.
template <class Context, class GoOn>
void fork_and_go_on(Context& ctx, GoOn go_on)
{
    // Or the child would write what waits to be written, too.
    std::cout.flush();
    ctx.notify_fork(asio::execution_context::fork_prepare);
    pid_t const child = ::fork();
    if (child == 0)
    {
        ::alarm(100); // no test case looks after it
        ctx.notify_fork(asio::execution_context::fork_child);
        ::_exit(go_on() ? right : 1);
    }
    ctx.notify_fork(asio::execution_context::fork_parent);
    BOOST_TEST_REQUIRE(child > 0);
    BOOST_TEST(go_on());
    int status = 0;
    BOOST_TEST_REQUIRE(::waitpid(child, &status, 0) == child);
    BOOST_TEST_REQUIRE(WIFEXITED(status));
    BOOST_TEST(WEXITSTATUS(status) == right);
}

/// Handlers that need each other, and so several threads or one that produces on; I/O; a timer.
bool works(context& ctx, setting const& s)
{
    ctx.restart();
    bool met = s.serial;
    event first, second;
    if (!s.serial)
    {
        asio::post(ctx, [&] { met = first.wait(); second.set(); });
        asio::post(ctx, [&] { first.set(); second.wait(); });
    }
    using asio::local::stream_protocol;
    asio::basic_stream_socket<stream_protocol, executor> a(ctx), b(ctx);
    asio::local::connect_pair(a, b);
    char out = 'x', in = ' ';
    bool fired = false;
    asio::basic_waitable_timer<std::chrono::steady_clock,
        asio::wait_traits<std::chrono::steady_clock>, executor>
        timer(ctx, 1ms);
    asio::async_read(b, asio::buffer(&in, 1), [&](auto, auto) {});
    timer.async_wait([&](auto) {
        fired = true;
        asio::async_write(a, asio::buffer(&out, 1), [](auto, auto) {});
    });
    run(ctx);
    return met && fired && in == 'x';
}

} // namespace

CONTEXT_TEST_CASE(a_context_goes_on_in_both, s)
{
    context ctx(s);
    BOOST_TEST(works(ctx, s)); // so that the pool has threads
    fork_and_go_on(ctx, [&] { return works(ctx, s); });
    BOOST_TEST(works(ctx, s));
}

// The epoll descriptor is a new one in the child: an operation that was begun before goes on there.
CONTEXT_TEST_CASE(an_operation_completes_in_both, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 20ms);
    int fired = 0;
    timer.async_wait([&](auto) { ++fired; });
    ctx.poll();
    fork_and_go_on(ctx, [&] {
        ctx.restart();
        run(ctx);
        return fired == 1;
    });
}

#if defined(ASIO_EWYK_DETAIL_WAIT_HOOK)

// There it is another file of the system that is waited for, and which one has to be learnt anew.
BOOST_AUTO_TEST_CASE(waits_are_observed_in_both)
{
    ewyk::strategy_context ctx({.max_threads = 2});
    auto const observed = [&] {
        ctx.restart();
        asio::steady_timer const io(ctx);
        auto const work = asio::make_work_guard(ctx);
        std::thread caller([&] { ctx.run(); });
        bool const in_time = eventually([&] {
            event ran;
            asio::post(ctx, [&] { ran.set(); });
            return ran.wait() && ctx.metrics().waits_observed;
        });
        ctx.stop();
        caller.join();
        return in_time;
    };
    BOOST_TEST(observed());
    ctx.notify_fork(asio::execution_context::fork_prepare);
    ctx.notify_fork(asio::execution_context::fork_child);
    BOOST_TEST(!ctx.metrics().waits_observed);
    fork_and_go_on(ctx, [&] { return observed(); });
}

#endif

BOOST_AUTO_TEST_CASE(a_pool_goes_on_in_both)
{
    std::atomic<int> ran{0};
    ewyk::worker_pool pool({.min_threads = 1, .max_threads = 3});
    auto const burst = [&] {
        gathering all;
        for (int i = 0; i != 3; ++i)
            pool.execute([&] {
                all.arrive_and_wait_for(3);
                ++ran;
            });
        pool.wait();
        return all.wait_for(3);
    };
    BOOST_TEST(burst());
    fork_and_go_on(pool, [&] { return burst() && ran == 6; });
}

// What is queued then is done before, with the threads that there are.
BOOST_AUTO_TEST_CASE(what_waits_in_a_pool_is_done_before)
{
    std::atomic<int> ran{0};
    ewyk::worker_pool pool({.max_threads = 1});
    pool.execute([&] {
        for (int i = 0; i != 10; ++i)
            pool.execute([&] { ++ran; });
    });
    fork_and_go_on(pool, [&] { return ran == 10 && pool.threads() == 0; });
}

// A process for each connection, as in Asio's example: the handler forks, and both go on in run().
BOOST_AUTO_TEST_CASE(in_a_handler)
{
    ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
    // So that the pool has a thread.
    asio::post(
        asio::require(ctx.get_executor(), ewyk::strategy.produce_execute_consume), [] {});
    ctx.run();
    ctx.restart();
    using asio::local::stream_protocol;
    stream_protocol::socket a(ctx), b(ctx);
    asio::local::connect_pair(a, b);
    char in = ' ';
    int in_pool = 0;
    pid_t child = -1;
    asio::steady_timer timer(ctx, 1ms);
    timer.async_wait([&](auto) {
        std::cout.flush(); // or the child would write what waits to be written, too
        ctx.notify_fork(asio::execution_context::fork_prepare);
        child = ::fork();
        if (child == 0)
            ::alarm(100); // no test case looks after it
        ctx.notify_fork(child == 0 ? asio::execution_context::fork_child
                                   : asio::execution_context::fork_parent);
        if (child == 0)
        {
            asio::async_read(b, asio::buffer(&in, 1), [](auto, auto) {});
            asio::async_write(a, asio::buffer("x", 1), [](auto, auto) {});
        }
        asio::post(asio::require(ctx.get_executor(), ewyk::strategy.produce_execute_consume),
            [&] { ++in_pool; });
    });
    ctx.run();
    if (child == 0)
        ::_exit(in == 'x' && in_pool == 1 ? right : 1);
    BOOST_TEST(in_pool == 1);
    int status = 0;
    BOOST_TEST_REQUIRE(::waitpid(child, &status, 0) == child);
    BOOST_TEST((WIFEXITED(status) && WEXITSTATUS(status) == right));
}

namespace {

/// Forks a child that ends like that, as one does that is to become another program. Whether that
/// went well.
template <class Context, class End>
bool forks(Context& ctx, End end)
{
    std::cout.flush(); // or the child would write what waits to be written, too
    ctx.notify_fork(asio::execution_context::fork_prepare);
    pid_t const child = ::fork();
    if (child == 0)
    {
        ::alarm(100); // no test case looks after it
        ctx.notify_fork(asio::execution_context::fork_child);
        end();
        ::_exit(1);
    }
    ctx.notify_fork(asio::execution_context::fork_parent);
    int status = 0;
    return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status)
        && WEXITSTATUS(status) == right;
}

void becomes_another_program()
{
    ::execl("/bin/sh", "sh", "-c", "exit 42", nullptr);
}

} // namespace

// The fork waits for no thread then, which may wait for this one.
CONTEXT_TEST_CASE(in_a_handler_before_another_program, s)
{
    auto const ctx = std::make_unique<context>(s);
    for (bool const in_pool : {false, true})
        for (bool const fails : {false, true})
        {
            ctx->restart();
            asio::steady_timer const io(*ctx); // see unannounced_fork
            event over;
            event waits;
            bool went_well = false;
            if (s.serial)
                waits.set();
            else
                asio::post(*ctx, [&] {
                    waits.set();
                    over.wait();
                });
            auto const ex = asio::require(ctx->get_executor(),
                in_pool ? ewyk::strategy.produce_execute_consume : s.strategy);
            asio::post(ex, [&] {
                went_well = waits.wait() && forks(*ctx, [&] {
                    if (!fails)
                        becomes_another_program();
                    // For exit(), no thread may have a lock of Asio's: see unannounced_fork.
                    ::_exit(right);
                });
                over.set();
            });
            run(*ctx);
            BOOST_TEST(went_well);
            BOOST_TEST(works(*ctx, s));
        }
}

// Nor for those that produce, as long as a thread is inside run().
CONTEXT_TEST_CASE(beside_a_thread_inside_run, s)
{
    context ctx(s);
    auto work = asio::make_work_guard(ctx);
    std::thread caller([&] { run(ctx); });
    event running, over;
    asio::post(ctx, [&] {
        running.set();
        over.wait();
    });
    BOOST_TEST(running.wait());
    if (!s.serial)
    {
        event ran;
        asio::post(ctx, [&] { ran.set(); });
        BOOST_TEST(ran.wait());
    }
    BOOST_TEST(forks(ctx, becomes_another_program));
    over.set();
    work.reset();
    caller.join();
    BOOST_TEST(works(ctx, s));
}

// Between the preparation and the fork.
CONTEXT_TEST_CASE(the_thread_that_forks_may_run_the_context, s)
{
    context ctx(s);
    ctx.notify_fork(asio::execution_context::fork_prepare);
    asio::steady_timer timer(ctx, 1ms);
    bool ran = false;
    timer.async_wait([&](boost::system::error_code) { ran = true; });
    run(ctx);
    ctx.notify_fork(asio::execution_context::fork_parent);
    BOOST_TEST(ran);
    BOOST_TEST(works(ctx, s));
}

BOOST_AUTO_TEST_CASE(on_a_thread_of_a_pool)
{
    bool went_well = false;
    ewyk::worker_pool pool;
    pool.execute([&] { went_well = forks(pool, becomes_another_program); });
    pool.join();
    BOOST_TEST(went_well);
}

// A context of its own pool that nothing runs goes on in the child, wherever that is announced.
BOOST_AUTO_TEST_CASE(of_another_context_in_a_handler)
{
    ewyk::strategy_context other(
        ewyk::strategy.produce_execute_consume, {.max_threads = 2, .idle_timeout = 1h});
    asio::post(other, [] {});
    other.run(); // so that its pool has a thread
    other.restart();
    bool went_well = false;
    // Without threads of its own: ThreadSanitizer ends the child of a process that has some.
    ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
    asio::post(ctx, [&] {
        went_well = forks(other, [&] {
            bool ran = false;
            asio::post(other, [&] { ran = true; });
            other.run();
            ::_exit(ran ? right : 1);
        });
    });
    ctx.run();
    BOOST_TEST(went_well);
}

BOOST_AUTO_TEST_SUITE_END()

#endif
