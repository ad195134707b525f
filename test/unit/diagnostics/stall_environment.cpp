// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The environment variable that switches reports on: what it may be, and what it does to a program
// that sets nothing.

#include "stall_support.hpp"

#include <asio_ewyk/detail/diagnostics/stall_monitor.hpp>

#include <optional>

#if defined(ASIO_EWYK_HAS_LINUX)
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace support;

BOOST_AUTO_TEST_SUITE(stall_environment)

BOOST_AUTO_TEST_CASE(times)
{
    using ewyk::detail::stall_threshold_from;
    BOOST_TEST((stall_threshold_from("100ms") == 100ms));
    BOOST_TEST((stall_threshold_from("7us") == 7us));
    BOOST_TEST((stall_threshold_from("2s") == 2s));
    BOOST_TEST((stall_threshold_from("0") == 0ns));
    BOOST_TEST((stall_threshold_from("9000000000000000000s") == std::chrono::nanoseconds::max()));
    for (char const* bad : {"", "100", "ms", "-1ms", "1.5s", "100 ms", "100msx", " 1ms",
             "99999999999999999999ms"})
        BOOST_TEST((stall_threshold_from(bad) == std::nullopt), bad);
}

#if defined(ASIO_EWYK_HAS_LINUX) // the monitor is known by its name

namespace {

constexpr int told = 42;
constexpr int quiet = 43;

/// Runs one of the tests below in a process of its own, with the variable; its exit code.
int in_a_process(char const* test, char const* value)
{
    std::string const filter = std::string("--run_test=stall_environment/") + test;
    pid_t const child = ::fork();
    if (child == 0)
    {
        ::setenv("ASIO_EWYK_STALLS", value, 1);
        ::setenv("ASIO_EWYK_TEST_CHILD", "1", 1);
        ::execl("/proc/self/exe", "test", filter.c_str(), nullptr);
        ::_exit(1);
    }
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_context_that_sets_nothing)
{
    if (!std::getenv("ASIO_EWYK_TEST_CHILD"))
    {
        BOOST_TEST(in_a_process("a_context_that_sets_nothing", "5ms") == told);
        return;
    }
    ::alarm(100); // no test case looks after it
    reports all;
    ewyk::strategy_options o;
    o.on_stall = all.callback();
    ewyk::strategy_context ctx(o);
    bool seen = false;
    asio::post(ctx, [&] { seen = all.wait_for(ewyk::stall_kind::running); });
    ctx.run();
    ::_exit(seen ? told : quiet);
}

BOOST_AUTO_TEST_CASE(a_loop_is_quiet)
{
    if (!std::getenv("ASIO_EWYK_TEST_CHILD"))
    {
        BOOST_TEST(in_a_process("a_loop_is_quiet", "0") == quiet);
        BOOST_TEST(in_a_process("a_loop_is_quiet", "100 hours") == told); // a bad one is ignored
        return;
    }
    ::alarm(100); // no test case looks after it
    event ran;
    ewyk::event_loop loop;
    asio::post(loop, [&] { ran.set(); });
    ran.wait();
    // The monitor names itself a moment after the loop has begun; one that is not to come is not
    // waited for.
    auto const is_there = [] { return monitors_directory() != ""; };
    bool const comes = std::getenv("ASIO_EWYK_STALLS") != std::string("0");
    ::_exit((comes ? eventually(is_there) : is_there()) ? told : quiet);
}

#endif

BOOST_AUTO_TEST_SUITE_END()
