// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A process that forks while it has threads, unannounced: what the library has for the whole
// process works in the child, too.

#include "memory_support.hpp"
#include "diagnostics/stall_support.hpp"

#include <asio_ewyk/detail/os/this_thread.hpp>

// A sanitizer ends the child of a process with threads.
#if defined(ASIO_EWYK_HAS_LINUX) && defined(__GLIBC__) && !defined(ASIO_EWYK_TEST_SANITIZED)

#include <sys/wait.h>
#include <unistd.h>

#include <iostream>

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

BOOST_AUTO_TEST_SUITE_END()

#endif
