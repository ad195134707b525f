// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A process that forks while it has threads, unannounced: what the library has for the whole
// process works in the child, too, and what has threads can be destroyed there.

#include "memory_support.hpp"
#include "pool_support.hpp"
#include "diagnostics/stall_support.hpp"

#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/loop/event_loop_group.hpp>
#include <asio_ewyk/loop/strategy_context_group.hpp>

// A sanitizer ends the child of a process with threads.
#if defined(ASIO_EWYK_HAS_LINUX) && defined(__GLIBC__) && !defined(ASIO_EWYK_TEST_SANITIZED)

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <optional>

BOOST_AUTO_TEST_SUITE(unannounced_fork)

namespace {

using namespace support;
using kind = ewyk::stall_kind;

constexpr int right = 42;

/// Forks a child that does something and says whether that went well.
template <class F>
pid_t child_that(F f)
{
    std::cout.flush(); // or the child would write what waits to be written, too
    pid_t const child = ::fork();
    BOOST_TEST_REQUIRE(child >= 0);
    if (child == 0)
    {
        ::alarm(100); // no test case looks after it
        ::_exit(f() ? right : 1);
    }
    return child;
}

bool went_well(pid_t child)
{
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status)
        && WEXITSTATUS(status) == right;
}

/// Whether the child can destroy what this owns.
template <class T>
bool can_be_destroyed(std::unique_ptr<T>& owner)
{
    return went_well(child_that([&] {
        owner.reset();
        return true;
    }));
}

/// Threads that stay where they are until the end.
class held
{
public:
    /// Has one run there, and waits until it does. Any thread.
    template <class Executor>
    bool at(Executor const& ex)
    {
        event running;
        asio::post(ex, [this, &running] {
            running.set();
            go_on_.wait();
        });
        return running.wait();
    }

    void go_on() { go_on_.set(); }

private:
    event go_on_;
};

/// Waits until that executor's thread has nothing to do, and so has no lock. Without I/O the thread
/// of a context waits for a condition of Asio's, which cannot be destroyed in the child.
template <class Executor>
bool falls_asleep(Executor const& ex)
{
    event ran;
    int thread = 0;
    asio::post(ex, [&] {
        thread = ewyk::detail::this_thread_id();
        ran.set();
    });
    return ran.wait() && eventually([&] { return ewyk::detail::sleeps(thread); });
}

} // namespace

// Others look at the thread by its number.
BOOST_AUTO_TEST_CASE(a_thread_has_another_id)
{
    using ewyk::detail::this_thread_id;
    BOOST_TEST(this_thread_id() == ::gettid());
    BOOST_TEST(went_well(child_that([] { return this_thread_id() == ::gettid(); })));
    BOOST_TEST(this_thread_id() == ::gettid());
}

// Its end is not the end of the program that the trace is of.
BOOST_AUTO_TEST_CASE(a_stack_is_written_down)
{
    int const signal = SIGRTMIN + 3;
    auto const watched_by = [&](reports& all) {
        ewyk::strategy_options o;
        o.strategy = ewyk::strategy.produce_consume;
        o.stall_threshold = 5ms;
        o.on_stall = all.callback();
        o.stack_signal = signal;
        return o;
    };
    sigset_t one;
    sigset_t before;
    ::sigemptyset(&one);
    ::sigaddset(&one, signal);
    ::pthread_sigmask(SIG_BLOCK, &one, &before);
    reports all;
    std::vector<pid_t> children;
    ewyk::strategy_context ctx(watched_by(all));
    asio::post(ctx, [&] {
        // The report comes when it has given up, so some are born in the meantime.
        do
        {
            children.push_back(child_that([&] {
                ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
                // A thread that gets no CPU for long is reported without its stack.
                return eventually([&] {
                    reports others;
                    ewyk::strategy_context another(watched_by(others));
                    asio::post(another, [&] { others.wait_for(kind::running); });
                    another.run();
                    return !others.first(kind::running).stack.empty();
                });
            }));
            std::this_thread::sleep_for(5ms);
        } while (all.count(kind::running) == 0);
    });
    ctx.run();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    BOOST_TEST(!children.empty());
    for (pid_t const child : children)
        BOOST_TEST(went_well(child));
}

BOOST_AUTO_TEST_CASE(a_context_with_a_late_handler_is_destroyed)
{
    held threads;
    auto ctx = std::make_unique<ewyk::strategy_context>(ewyk::strategy_options{.max_threads = 2});
    auto work = asio::make_work_guard(*ctx);
    std::optional<asio::steady_timer> io(*ctx);
    std::thread caller([c = ctx.get()] { c->run(); });
    BOOST_TEST(threads.at(ctx->get_executor()));
    BOOST_TEST(falls_asleep(ctx->get_executor()));
    io.reset();
    BOOST_TEST(can_be_destroyed(ctx));
    threads.go_on();
    work.reset();
    caller.join();
    BOOST_TEST(can_be_destroyed(ctx));
}

BOOST_AUTO_TEST_CASE(a_pool_is_destroyed)
{
    held threads;
    auto pool = std::make_unique<ewyk::worker_pool>(ewyk::worker_pool_options{.max_threads = 2});
    BOOST_TEST(threads.at(pool->get_executor()));
    BOOST_TEST(falls_asleep(pool->get_executor()));
    BOOST_TEST(can_be_destroyed(pool));
    BOOST_TEST(threads.at(pool->get_executor()));
    pool->execute([] {}); // waits for a thread
    std::atomic<int> waiter{0};
    std::thread joins([&, p = pool.get()] {
        waiter = ewyk::detail::this_thread_id();
        p->join();
    });
    BOOST_TEST(eventually([&] { return waiter != 0 && ewyk::detail::sleeps(waiter); }));
    BOOST_TEST(can_be_destroyed(pool));
    threads.go_on();
    joins.join();
}

BOOST_AUTO_TEST_CASE(a_strategy_is_destroyed)
{
    event running, go_on;
    ewyk::worker_pool pool({.max_threads = 2});
    source jobs;
    auto strategy = std::make_unique<ewyk::execution_strategy<source>>(
        jobs, pool, ewyk::strategy.eat_what_you_kill);
    jobs.add([&] {
        running.set();
        go_on.wait();
    });
    strategy->dispatch();
    BOOST_TEST(running.wait());
    BOOST_TEST(can_be_destroyed(strategy));
    go_on.set();
}

BOOST_AUTO_TEST_CASE(loops_are_destroyed)
{
    held threads;
    auto group = std::make_unique<ewyk::event_loop_group>(2);
    for (ewyk::event_loop& loop : *group)
        asio::steady_timer const io(loop);
    BOOST_TEST(threads.at((*group)[0].get_executor()));
    BOOST_TEST(falls_asleep((*group)[1].get_executor()));
    std::atomic<int> waiter{0};
    std::thread waits([&, g = group.get()] {
        waiter = ewyk::detail::this_thread_id();
        g->shutdown_gracefully(0s, 100s);
    });
    BOOST_TEST(eventually([&] {
        return (*group)[1].terminated() && waiter != 0 && ewyk::detail::sleeps(waiter);
    }));
    BOOST_TEST(can_be_destroyed(group));
    threads.go_on();
    waits.join();
}

BOOST_AUTO_TEST_CASE(a_group_of_contexts_is_destroyed)
{
    held threads;
    auto group = std::make_unique<ewyk::strategy_context_group>(
        2, ewyk::strategy_options{.max_threads = 4});
    for (ewyk::strategy_context& ctx : *group)
        asio::steady_timer const io(ctx);
    BOOST_TEST(threads.at((*group)[0].get_executor()));
    BOOST_TEST(falls_asleep((*group)[0].get_executor()));
    BOOST_TEST(falls_asleep((*group)[1].get_executor()));
    BOOST_TEST(can_be_destroyed(group));
    threads.go_on();
}

// As a program does whose exec() fails, also in a handler.
BOOST_AUTO_TEST_CASE(exit_destroys_a_static_context)
{
    BOOST_TEST(went_well(child_that([] {
        auto const child_exits = [] {
            pid_t const child = ::fork();
            if (child == 0)
            {
                ::alarm(100);
                std::exit(right);
            }
            return went_well(child);
        };
        static ewyk::strategy_context ctx({.max_threads = 2});
        asio::steady_timer const io(ctx);
        bool good = false;
        asio::post(ctx, [&] {
            good = falls_asleep(ctx.get_executor()) && child_exits();
        });
        ctx.run();
        return good && child_exits();
    })));
}

BOOST_AUTO_TEST_SUITE_END()

#endif
