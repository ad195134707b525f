// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TESTING_RANDOM_DELAYS_HPP
#define ASIO_EWYK_TESTING_RANDOM_DELAYS_HPP

/** @file
    Has threads delayed at random wherever production or a task changes hands. So handlers meet that
    hardly ever meet otherwise. The header is for tests, which are compiled with
    `-include asio_ewyk/testing/random_delays.hpp`. Together with ThreadSanitizer it finds most: see
    the page _Migrate an application_.

    All sources of a program need it, or none, else the program violates the One Definition Rule;
    also those of the library, where these are compiled for themselves. This header must come before
    every other one of the library.
*/

#include <asio_ewyk/detail/observe/trace_event.hpp>

#include <boost/config.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

namespace asio_ewyk {

namespace detail {

// As good as random (SplitMix64).
constexpr std::uint64_t mixed(std::uint64_t x) noexcept
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

inline std::uint64_t delays_of_environment() noexcept
{
    char const* const text = std::getenv("ASIO_EWYK_DELAYS");
    return text ? std::strtoull(text, nullptr, 10) : 1;
}

// Relaxed, both: any value will do at any time.
inline std::atomic<std::uint64_t> delays_seed{delays_of_environment()};
inline std::atomic<std::uint64_t> delayed_threads{0};

// Which places delay is drawn once for a seed, how long is drawn each time. So each place is slow
// at times while the others are fast.
BOOST_NOINLINE inline void delay(trace_event e) noexcept
{
    std::uint64_t const seed = delays_seed.load(std::memory_order_relaxed);
    if (seed == 0)
        return;
    thread_local std::uint64_t state = mixed(
        seed + 0x9e3779b97f4a7c15u * (1 + delayed_threads.fetch_add(1, std::memory_order_relaxed)));
    std::uint64_t const now = mixed(state += 0x9e3779b97f4a7c15u);
    std::uint64_t place = static_cast<std::uint64_t>(e) << 56;
#if defined(__GNUC__)
    place ^= reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
#endif
    std::uint64_t const slow = mixed(place ^ mixed(seed)) % 16;
    // Half of the places hardly ever, a few nearly always.
    if (now % 64 >= (slow < 8 ? 1u : slow < 14 ? 8u : 48u))
        return;
    switch (now / 64 % 8)
    {
    case 0:
        // At random, each 64th sleep is as long as when the system has taken the CPU away: longer
        // than what others wait for.
        std::this_thread::sleep_for(
            std::chrono::microseconds(1 + now / 32'768 % (now / 512 % 64 == 0 ? 6'000 : 100)));
        break;
    case 1:
    case 2:
        for (auto left = now / 512 % 2'000; left != 0; --left)
            std::atomic_signal_fence(std::memory_order_seq_cst); // or there would be no loop
        break;
    default:
        std::this_thread::yield();
    }
}

} // namespace detail

/** Draws other delays from now on: those of that number, or none with 0.

    Until the first call the number is that of the environment variable `ASIO_EWYK_DELAYS`, or 1.
    The same number delays at the same places of the same program, for times that differ with each
    run, as do the threads that come there.

    @par Thread Safety
    Safe.

    @par Exception Safety
    No-throw guarantee.
*/
inline void random_delays(std::uint64_t seed) noexcept
{
    detail::delays_seed.store(seed, std::memory_order_relaxed);
}

} // namespace asio_ewyk

#if defined(ASIO_EWYK_TEST_POINT)
#error "asio_ewyk/testing/random_delays.hpp must come before every other header of the library"
#endif

/// What the library calls where threads may meet.
#define ASIO_EWYK_TEST_POINT(event) ::asio_ewyk::detail::delay(event)

#endif
