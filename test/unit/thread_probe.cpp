// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/os/thread_clock.hpp>
#include <asio_ewyk/detail/os/thread_probe.hpp>

#include "pool_support.hpp"

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

BOOST_AUTO_TEST_SUITE(thread_probe)

namespace {

using namespace support;

using ewyk::detail::thread_id;
using state = ewyk::detail::thread_probe::state;

// Asks until the answer is whether it runs, so many times in a row.
[[maybe_unused]] bool comes_to(
    bool runs, ewyk::detail::thread_probe& probe, thread_id thread, int times)
{
    auto const end = std::chrono::steady_clock::now() + patience;
    for (int seen = 0; std::chrono::steady_clock::now() < end;)
    {
        seen = (probe.of(thread) == state::runs) == runs ? seen + 1 : 0;
        if (seen == times)
            return true;
        std::this_thread::sleep_for(1ms);
    }
    return false;
}

} // namespace

#if defined(ASIO_EWYK_HAS_LINUX) || defined(ASIO_EWYK_HAS_WINDOWS)

BOOST_AUTO_TEST_CASE(one_that_computes_runs_and_one_that_waits_does_not)
{
    std::atomic<thread_id> id{0};
    std::atomic<bool> computes{true};
    event release;
    std::thread other([&] {
        id = ewyk::detail::this_thread_id();
        while (computes)
        {
        }
        release.wait();
    });
    while (id == 0)
        std::this_thread::yield();
    ewyk::detail::thread_probe probe;
    BOOST_TEST(comes_to(true, probe, id, 1));
    computes = false;
    // Longer than a system counts in ticks.
    BOOST_TEST(comes_to(false, probe, id, 100));
    release.set();
    other.join();
    // The system lets go of it a moment after the one that joins it.
    BOOST_TEST(soon([&] { return probe.of(id) == state::unknown; }));
}

#endif

#if defined(ASIO_EWYK_HAS_LINUX)

namespace {

// Whether the system may be asked for the next number of a thread of this process.
bool choose_next(thread_id id)
{
    std::ofstream last("/proc/sys/kernel/ns_last_pid");
    last << id - 1 << std::flush;
    return static_cast<bool>(last);
}

} // namespace

// The system gives a number to another thread once the one that had it has ended.
BOOST_AUTO_TEST_CASE(a_thread_is_known_that_has_the_number_of_one_that_has_ended)
{
    ewyk::detail::thread_probe probe;
    if (probe.of(ewyk::detail::this_thread_id()) == state::unknown)
    {
        BOOST_TEST_MESSAGE("skipped: the system does not tell what a thread does");
        return;
    }
    std::atomic<bool> computes{true};
    std::atomic<thread_id> id{0};
    auto const compute = [&] {
        id = ewyk::detail::this_thread_id();
        while (computes)
        {
        }
    };
    std::thread first(compute);
    while (id == 0)
        std::this_thread::yield();
    BOOST_TEST(comes_to(true, probe, id, 1));
    computes = false;
    first.join();
    thread_id const number = id;
    BOOST_TEST(soon([&] { return probe.of(number) == state::unknown; }));
    // Another process may be faster.
    for (int attempt = 0; attempt != 100 && computes == false; ++attempt)
    {
        if (!choose_next(number))
        {
            BOOST_TEST_MESSAGE("skipped: the system does not let the process choose a number");
            return;
        }
        id = 0;
        computes = true;
        std::thread second(compute);
        while (id == 0)
            std::this_thread::yield();
        bool const same = id == number;
        if (same)
            BOOST_TEST(comes_to(true, probe, number, 1));
        computes = false;
        second.join();
        if (same)
            return;
    }
    BOOST_TEST_MESSAGE("skipped: another process has taken the number");
}

#endif

BOOST_AUTO_TEST_CASE(nothing_is_known_of_a_thread_that_there_is_not)
{
    BOOST_TEST((ewyk::detail::thread_probe().of(0) == state::unknown));
}

BOOST_AUTO_TEST_SUITE_END()
