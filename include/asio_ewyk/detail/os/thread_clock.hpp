// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_THREAD_CLOCK_HPP
#define ASIO_EWYK_DETAIL_OS_THREAD_CLOCK_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/os/windows.hpp>

#include <atomic>
#include <chrono>
#include <optional>

#if defined(ASIO_EWYK_HAS_PTHREAD)
#include <pthread.h>
#include <time.h>
#include <unistd.h>
#if defined(_POSIX_THREAD_CPUTIME) && _POSIX_THREAD_CPUTIME >= 0
#define ASIO_EWYK_DETAIL_HAS_CPU_CLOCKS
#endif
#endif

namespace asio_ewyk::detail {

// Names a thread whose CPU time is asked for; cpu_clock() names none, and is no clock of a thread's
// on any system. Not std::optional: g++ 12 warns of that with sanitizers.
#if defined(ASIO_EWYK_DETAIL_HAS_CPU_CLOCKS)
using cpu_clock = clockid_t;
inline constexpr bool has_cpu_clocks = true;
#elif defined(ASIO_EWYK_HAS_WINDOWS)
using cpu_clock = thread_id;
inline constexpr bool has_cpu_clocks = true;
#else
using cpu_clock = int;
inline constexpr bool has_cpu_clocks = false;
#endif

inline cpu_clock this_thread_cpu_clock() noexcept
{
#if defined(ASIO_EWYK_DETAIL_HAS_CPU_CLOCKS)
    if (cpu_clock id{}; ::pthread_getcpuclockid(::pthread_self(), &id) == 0)
        return id;
#elif defined(ASIO_EWYK_HAS_WINDOWS)
    return current_thread_id();
#endif
    return cpu_clock();
}

#if defined(ASIO_EWYK_HAS_WINDOWS)
// What f tells of that thread, which has a handle for it; what it makes without, if there is none.
template <class F>
auto tell_of_thread(thread_id thread, F f) noexcept -> decltype(f(HANDLE{}))
{
    HANDLE const h
        = ::OpenThread(THREAD_QUERY_LIMITED_INFORMATION, FALSE, static_cast<DWORD>(thread));
    if (!h)
        return {};
    // Another process may have a new thread of that number.
    bool const ours = ::GetProcessIdOfThread(h) == ::GetCurrentProcessId();
    auto const told = ours ? f(h) : decltype(f(h)){};
    ::CloseHandle(h);
    return told;
}

inline std::optional<std::chrono::nanoseconds> cpu_time_by(HANDLE thread) noexcept
{
    FILETIME began;
    FILETIME ended;
    FILETIME used[2]; // in the system, and outside of it
    if (!::GetThreadTimes(thread, &began, &ended, &used[0], &used[1]))
        return std::nullopt;
    auto sum = std::chrono::nanoseconds::zero();
    for (FILETIME const& t : used)
        sum += std::chrono::nanoseconds(
            100 * (static_cast<long long>(t.dwHighDateTime) << 32 | t.dwLowDateTime));
    return sum;
}
#endif

// How much that thread has used so far; none if it has ended.
inline std::optional<std::chrono::nanoseconds> cpu_time_of(
    [[maybe_unused]] cpu_clock id) noexcept
{
#if defined(ASIO_EWYK_DETAIL_HAS_CPU_CLOCKS)
    if (timespec t{}; id != cpu_clock() && ::clock_gettime(id, &t) == 0)
        return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
#elif defined(ASIO_EWYK_HAS_WINDOWS)
    if (id != cpu_clock())
        return tell_of_thread(id, &cpu_time_by);
#endif
    return std::nullopt;
}

// 0 if it is not known.
inline std::chrono::nanoseconds this_thread_cpu_time() noexcept
{
    std::optional<std::chrono::nanoseconds> time;
#if defined(ASIO_EWYK_DETAIL_HAS_CPU_CLOCKS)
    time = cpu_time_of(CLOCK_THREAD_CPUTIME_ID);
#elif defined(ASIO_EWYK_HAS_WINDOWS)
    time = cpu_time_by(::GetCurrentThread());
#endif
    return time.value_or(std::chrono::nanoseconds::zero());
}

// Tells any thread how much CPU time another one has used, at no cost to that one; 0 if it is not
// known.
class thread_clock
{
public:
    // On the thread itself, at its beginning and at its end.
    void begin() noexcept
    {
        auto const id = this_thread_cpu_clock();
        if (id == cpu_clock())
            return;
        id_.store(id, std::memory_order_relaxed);
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

} // namespace asio_ewyk::detail

#undef ASIO_EWYK_DETAIL_HAS_CPU_CLOCKS

#endif
