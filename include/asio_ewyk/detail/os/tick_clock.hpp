// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_TICK_CLOCK_HPP
#define ASIO_EWYK_DETAIL_OS_TICK_CLOCK_HPP

#include <asio_ewyk/detail/config.hpp>

#include <boost/config.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>

#if defined(ASIO_EWYK_HAS_LINUX) && defined(__GNUC__) && defined(__x86_64__)
#define ASIO_EWYK_DETAIL_CPU_COUNTER
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#endif

namespace asio_ewyk::detail {

// A clock that costs less to read than the steady one: the counter of the CPU, if Linux takes its
// own time from that, and so has found that it is steady and the same on all CPUs. Else the steady
// clock. Ticks become times only when they are shown.
class BOOST_SYMBOL_VISIBLE tick_clock
{
    // What the clock is, and a moment of both; never changed, and never freed.
    struct beginning
    {
        bool counts = false; // the CPU's counter
        std::int64_t ticks = 0;
        std::int64_t steady = 0;
    };

public:
    using ticks = std::int64_t;

    static ticks now() noexcept
    {
        // Acquire: a thread that finds the beginning finds it filled in.
        beginning const* b = began_.load(std::memory_order_acquire);
        if (!b) [[unlikely]]
            b = &begin();
        return b->counts ? count() : steady();
    }

    // Converts ticks by how many there were in the time until now. Any thread, signal handlers too.
    class scale
    {
    public:
        scale() noexcept
        {
            beginning const* const b = began_.load(std::memory_order_acquire);
            if (!b || !b->counts)
                return;
            // The error of both is below a microsecond.
            static constexpr std::int64_t enough = 100'000;
            std::int64_t time = 0;
            do
                time = steady() - b->steady;
            while (time < enough);
            if (ticks const n = count() - b->ticks; n > 0)
                nanoseconds_ = static_cast<double>(time) / static_cast<double>(n);
        }

        // 0 if it is negative: the CPUs' counters may differ by some ticks.
        std::chrono::nanoseconds operator()(ticks n) const noexcept
        {
            return std::chrono::nanoseconds(
                n > 0 ? static_cast<std::int64_t>(static_cast<double>(n) * nanoseconds_) : 0);
        }

    private:
        double nanoseconds_ = 1; // of a tick
    };

private:
    static std::int64_t steady() noexcept
    {
        auto const now = std::chrono::steady_clock::now();
        return std::chrono::nanoseconds(now.time_since_epoch()).count();
    }

#if defined(ASIO_EWYK_DETAIL_CPU_COUNTER)
    static ticks count() noexcept { return static_cast<ticks>(__builtin_ia32_rdtsc()); }

    static bool is_steady() noexcept
    {
        int const error = errno;
        char name[4] = {};
        int const file = ::open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
            O_RDONLY | O_CLOEXEC);
        bool const is = file >= 0 && ::read(file, name, sizeof name) == sizeof name
            && std::memcmp(name, "tsc\n", sizeof name) == 0;
        if (file >= 0)
            ::close(file);
        errno = error;
        return is;
    }
#else
    static ticks count() noexcept { return 0; }
    static bool is_steady() noexcept { return false; }
#endif

    ASIO_EWYK_COLD static beginning const& begin() noexcept
    {
        static constexpr beginning without_memory;
        auto* const made = new (std::nothrow) beginning;
        beginning const* there = nullptr;
        if (made && is_steady())
            *made = {true, count(), steady()};
        if (began_.compare_exchange_strong(
                there, made ? made : &without_memory, std::memory_order_acq_rel))
            return made ? *made : without_memory;
        delete made;
        return *there;
    }

    static inline std::atomic<beginning const*> began_{nullptr};
};

} // namespace asio_ewyk::detail

#undef ASIO_EWYK_DETAIL_CPU_COUNTER

#endif
