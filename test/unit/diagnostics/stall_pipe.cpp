// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Reports to a stderr that takes nothing: a pipe that is full, in a process of its own.

#include "stall_support.hpp"

#if defined(ASIO_EWYK_HAS_LINUX) // the thread that reports is known by its name

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

using namespace support;

BOOST_AUTO_TEST_SUITE(stall_pipe)

namespace {

constexpr int right = 42;

/// stderr is a pipe from now on that is full, and that nothing reads.
void fill_stderr()
{
    int ends[2];
    if (::pipe(ends) != 0 || ::dup2(ends[1], STDERR_FILENO) < 0)
        ::_exit(1);
    ::fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK);
    char const text[4096] = {};
    for (std::size_t size : {sizeof text, std::size_t{1}})
        while (::write(STDERR_FILENO, text, size) > 0)
            ;
    ::fcntl(STDERR_FILENO, F_SETFL, 0);
}

/// Runs it in a child, which must end in time.
template <class F>
bool goes_well_in_a_child(F f)
{
    std::cout.flush(); // or the child would write what waits to be written, too
    pid_t const child = ::fork();
    if (child == 0)
    {
        ::alarm(100); // no test case looks after it
        ::_exit(f() ? right : 1);
    }
    int status = 0;
    return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status)
        && WEXITSTATUS(status) == right;
}

/// Whether the thread that reports is inside write().
bool writes()
{
    return eventually([] {
        for (auto const& task : std::filesystem::directory_iterator("/proc/self/task"))
        {
            std::ifstream comm(task.path() / "comm");
            std::ifstream called(task.path() / "syscall");
            std::string name, number;
            if (comm >> name && name == "ewyk-stalls-0" && called >> number
                && number == std::to_string(SYS_write))
                return true;
        }
        return false;
    });
}

} // namespace

BOOST_AUTO_TEST_CASE(holds_up_no_context)
{
    BOOST_TEST(goes_well_in_a_child([] {
        fill_stderr();
        event end;
        bool stuck = false;
        {
            ewyk::worker_pool pool({.stall_threshold = 5ms});
            pool.execute([&] { end.wait(); });
            stuck = writes();
            end.set();
            pool.join();
        }
        event ran;
        ewyk::event_loop another({.stall_threshold = 5ms});
        asio::post(another, [&] { ran.set(); });
        return stuck && ran.wait() && another.shutdown_gracefully(0ms, patience);
    }));
}

// Nor a handler that is late, which the thread that looks for stalls takes over from as well.
BOOST_AUTO_TEST_CASE(a_callback_that_does_not_return_holds_up_no_takeover)
{
    event entered, end;
    event second;
    ewyk::worker_pool pool({.stall_threshold = 5ms, .on_stall = [&](ewyk::stall_report const&) {
                                entered.set();
                                end.wait();
                            }});
    pool.execute([&] { end.wait(); });
    BOOST_TEST(entered.wait());

    ewyk::strategy_context ctx;
    bool met = false;
    asio::post(ctx, [&] { met = second.wait(); });
    asio::post(ctx, [&] { second.set(); });
    ctx.run();
    BOOST_TEST(met);
    end.set();
    pool.join();
}

BOOST_AUTO_TEST_SUITE_END()

#endif
