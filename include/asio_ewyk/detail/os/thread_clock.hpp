// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_THREAD_CLOCK_HPP
#define ASIO_EWYK_DETAIL_OS_THREAD_CLOCK_HPP

#include <atomic>
#include <chrono>
#include <optional>

#if defined(__unix__)
#include <pthread.h>
#include <time.h>
#include <unistd.h>
#endif

namespace asio_ewyk::detail {

#if defined(_POSIX_THREAD_CPUTIME) && _POSIX_THREAD_CPUTIME >= 0

// Names a thread whose CPU time is asked for.
using cpu_clock = clockid_t;

inline std::optional<cpu_clock> this_thread_cpu_clock() noexcept
{
    cpu_clock id{};
    return ::pthread_getcpuclockid(::pthread_self(), &id) == 0 ? std::optional(id) : std::nullopt;
}

// How much that thread has used so far; none if it has ended.
inline std::optional<std::chrono::nanoseconds> cpu_time_of(std::optional<cpu_clock> id) noexcept
{
    timespec t{};
    if (!id || ::clock_gettime(*id, &t) != 0)
        return std::nullopt;
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

inline std::chrono::nanoseconds this_thread_cpu_time() noexcept
{
    return cpu_time_of(CLOCK_THREAD_CPUTIME_ID).value_or(std::chrono::nanoseconds::zero());
}

// Tells any thread how much CPU time another one has used, at no cost to that one.
class thread_clock
{
public:
    static constexpr bool works = true;

    // On the thread itself, at its beginning and at its end.
    void begin() noexcept
    {
        auto const id = this_thread_cpu_clock();
        if (!id)
            return;
        id_.store(*id, std::memory_order_relaxed);
        runs_.store(true);
    }

    void end() noexcept
    {
        now();
        runs_.store(false);
    }

    // Never less than before: at the end the last reading stays, by any thread.
    std::chrono::nanoseconds now() const noexcept
    {
        auto most = most_.load();
        auto const read = runs_.load() ? cpu_time_of(id_.load(std::memory_order_relaxed))
                                       : std::nullopt;
        if (!read)
            return most_.load();
        while (most < *read)
            if (most_.compare_exchange_weak(most, *read))
                return *read;
        return most;
    }

private:
    // Both are written by the thread itself. Relaxed: runs_ orders it, which is written after.
    std::atomic<cpu_clock> id_{};
    std::atomic<bool> runs_{false};

    // The latest reading. Written by any thread that reads; sequentially consistent, as runs_: a
    // thread that sees that this one has ended sees its last reading.
    mutable std::atomic<std::chrono::nanoseconds> most_{std::chrono::nanoseconds::zero()};
};

#else

using cpu_clock = int;

inline std::optional<cpu_clock> this_thread_cpu_clock() noexcept
{
    return std::nullopt;
}

inline std::optional<std::chrono::nanoseconds> cpu_time_of(std::optional<cpu_clock>) noexcept
{
    return std::nullopt;
}

// Not known: 0.
inline std::chrono::nanoseconds this_thread_cpu_time() noexcept
{
    return {};
}

class thread_clock
{
public:
    static constexpr bool works = false;

    void begin() noexcept {}
    void end() noexcept {}
    std::chrono::nanoseconds now() const noexcept { return {}; }
};

#endif

} // namespace asio_ewyk::detail

#endif
