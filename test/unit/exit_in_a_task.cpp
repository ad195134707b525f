// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// std::exit() in a task of a pool, a loop or a context that is a static object: its destructor runs
// on its own thread, and the program ends.

#include "pool_support.hpp"

#include <asio_ewyk/loop/event_loop_group.hpp>
#include <asio_ewyk/loop/strategy_context_group.hpp>

#if defined(__unix__)

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <sys/wait.h>
#include <unistd.h>

using namespace support;

BOOST_AUTO_TEST_SUITE(exit_in_a_task)

namespace {

constexpr int code = 42;

/// The first thread of the process uses no static object any more.
event idle;

void exit_when_idle()
{
    idle.wait();
    std::exit(code);
}

/// What a process ends with that does that, and then waits; -1 if a signal ended it.
template <class F>
int exit_code_of(F program)
{
    std::cout.flush(); // or the child would write what waits to be written, too
    pid_t const child = ::fork();
    BOOST_TEST_REQUIRE(child >= 0);
    if (child == 0)
    {
        ::alarm(100); // no test case looks after it
        for (int const s : {SIGABRT, SIGSEGV, SIGBUS})
            ::signal(s, SIG_DFL); // or the next test case would run
        program();
        idle.set();
        for (;;)
            ::pause();
    }
    int status = 0;
    BOOST_TEST_REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Calls f() when it is destroyed.
template <class F>
class at_end
{
public:
    explicit at_end(F f) : f_(std::move(f)) {}
    at_end(at_end const&) = delete;
    ~at_end() { f_(); }

private:
    F f_;
};

/// A task that runs until static objects are destroyed, and how far it is.
struct other_task
{
    void operator()()
    {
        running.set();
        is_over = go_on.wait();
    }

    event running;
    event go_on;
    std::atomic<bool> is_over{false};
};

BOOST_AUTO_TEST_CASE(of_a_pool)
{
    BOOST_TEST(exit_code_of([] {
        static ewyk::worker_pool pool({.max_threads = 1});
        pool.execute(exit_when_idle);
    }) == code);
}

BOOST_AUTO_TEST_CASE(of_a_pool_that_runs_others)
{
    BOOST_TEST(exit_code_of([] {
        static other_task other;
        static at_end const looks([] {
            if (!other.is_over)
                ::_exit(1);
        });
        static ewyk::worker_pool pool({.max_threads = 3});
        static at_end const ends_the_other([] { other.go_on.set(); });
        warm_up(pool, 3);
        pool.execute([] { other(); });
        other.running.wait();
        pool.execute(exit_when_idle);
    }) == code);
}

// The thread that ends the process keeps its place.
BOOST_AUTO_TEST_CASE(of_a_pool_that_is_used_meanwhile)
{
    BOOST_TEST(exit_code_of([] {
        static event ran;
        static ewyk::worker_pool pool({.max_threads = 2});
        static at_end const uses_the_pool([] {
            pool.execute([] { ran.set(); });
            if (!ran.wait() || pool.start_failures() != 0)
                ::_exit(1);
        });
        pool.execute(exit_when_idle);
    }) == code);
}

BOOST_AUTO_TEST_CASE(of_a_loop)
{
    BOOST_TEST(exit_code_of([] {
        static ewyk::event_loop loop;
        asio::post(loop, [] {
            asio::post(loop, [] {});
            exit_when_idle();
        });
    }) == code);
}

BOOST_AUTO_TEST_CASE(of_a_group_that_runs_others)
{
    BOOST_TEST(exit_code_of([] {
        static other_task other;
        static at_end const looks([] {
            if (!other.is_over)
                ::_exit(1);
        });
        static ewyk::event_loop_group group(2);
        static at_end const ends_the_other([] { other.go_on.set(); });
        asio::post(group[1], [] { other(); });
        other.running.wait();
        asio::post(group[0], exit_when_idle);
    }) == code);
}

BOOST_AUTO_TEST_CASE(of_a_strategy_over_a_pool)
{
    BOOST_TEST(exit_code_of([] {
        static ewyk::worker_pool pool({.max_threads = 2});
        static source jobs;
        static ewyk::execution_strategy strategy(
            jobs, pool, ewyk::strategy.produce_execute_consume);
        jobs.add(exit_when_idle);
        strategy.produce();
    }) == code);
}

/// A context with a static duration, in which that handler ends the process on whichever thread.
template <class Run>
bool ends_in_a_handler(ewyk::strategy_options const& options, Run run)
{
    return exit_code_of([&] {
        static ewyk::strategy_context ctx(options);
        static auto const work = asio::make_work_guard(ctx);
        run(ctx);
        ::_exit(1); // the program would go on with what is destroyed
    }) == code;
}

constexpr ewyk::strategy_t kinds[] = {ewyk::strategy.produce_consume,
    ewyk::strategy.produce_execute_consume, ewyk::strategy.execute_produce_consume,
    ewyk::strategy.eat_what_you_kill};

void exits() { std::exit(code); }

BOOST_AUTO_TEST_CASE(of_a_context)
{
    for (ewyk::strategy_t const s : kinds)
        for (bool const late : {false, true})
            BOOST_TEST(ends_in_a_handler({.strategy = s, .max_threads = 2},
                [=](ewyk::strategy_context& ctx) {
                    static event other;
                    // Where it is late, the next one runs on another thread.
                    if (late && s == ewyk::strategy.eat_what_you_kill)
                        asio::post(ctx, [] { other.wait(); });
                    asio::post(ctx, [] {
                        other.set();
                        exits();
                    });
                    ctx.run();
                }));
}

// The last caller waits for the handler.
BOOST_AUTO_TEST_CASE(of_a_context_whose_run_is_about_to_return)
{
    BOOST_TEST(ends_in_a_handler(
        {.strategy = ewyk::strategy.produce_execute_consume, .max_threads = 2},
        [](ewyk::strategy_context& ctx) {
            asio::post(ctx, [&] {
                ctx.stop();
                eventually([&] { return ctx.metrics().callers == 0; });
                exits();
            });
            ctx.run();
        }));
}

// A call waits, another steps, and a third is in a handler that goes on while static objects are
// destroyed.
BOOST_AUTO_TEST_CASE(of_a_context_with_several_callers)
{
    for (ewyk::strategy_t const s : kinds)
        BOOST_TEST(exit_code_of([=] {
            static other_task other;
            static at_end const looks([] {
                if (!other.is_over)
                    ::_exit(1);
            });
            static ewyk::strategy_context ctx({.strategy = s, .max_threads = 3});
            static auto const work = asio::make_work_guard(ctx);
            static at_end const ends_the_other([] { other.go_on.set(); });
            asio::post(ctx, [] {
                ewyk::blocking_section const blocks;
                other();
            });
            auto const in_a_thread = [](auto f) {
                std::thread([f] {
                    f();
                    ::_exit(1);
                }).detach();
            };
            in_a_thread([] { ctx.run(); });
            in_a_thread([] { ctx.run(); });
            in_a_thread([] {
                for (;;)
                    ctx.run_one();
            });
            other.running.wait();
            // A call that begins later would find no context.
            eventually([] { return ctx.metrics().callers == 3; });
            asio::post(ctx, exit_when_idle);
        }) == code);
}

BOOST_AUTO_TEST_CASE(of_a_group_of_contexts)
{
    for (bool const in_pool : {false, true})
        BOOST_TEST(exit_code_of([=] {
            static ewyk::strategy_context_group group(
                2, ewyk::strategy_options{.max_threads = 3});
            auto const ex = asio::require(group[0].get_executor(),
                in_pool ? ewyk::strategy.produce_execute_consume
                        : ewyk::strategy.produce_consume);
            asio::post(ex, exit_when_idle);
        }) == code);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()

#endif
