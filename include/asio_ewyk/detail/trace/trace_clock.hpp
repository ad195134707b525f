// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TRACE_TRACE_CLOCK_HPP
#define ASIO_EWYK_DETAIL_TRACE_TRACE_CLOCK_HPP

#include <chrono>
#include <cstdint>

#if defined(__linux__) && defined(__x86_64__)
#include <fcntl.h>
#include <unistd.h>

#include <string_view>
#define ASIO_EWYK_HAS_CYCLES 1
#endif

namespace asio_ewyk::detail {

// What the records of a trace are dated with: the steady clock, or the processor's counter that the
// steady clock is made of, which takes half as long to read.
class trace_clock
{
public:
    // Whether the counter may be used: if it is the same on all cores, the system uses it for its
    // own clock.
    static bool has_cycles() noexcept
    {
#if defined(ASIO_EWYK_HAS_CYCLES)
        char text[16];
        int const file
            = ::open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                O_RDONLY | O_CLOEXEC);
        ssize_t const size = file < 0 ? 0 : ::read(file, text, sizeof text);
        if (file >= 0)
            ::close(file);
        return size == 4 && std::string_view(text, 3) == "tsc";
#else
        return false;
#endif
    }

    static std::uint64_t now([[maybe_unused]] bool cycles) noexcept
    {
#if defined(ASIO_EWYK_HAS_CYCLES)
        if (cycles)
            return __builtin_ia32_rdtsc();
#endif
        return static_cast<std::uint64_t>(
            std::chrono::steady_clock::now().time_since_epoch().count());
    }

    trace_clock() = default;

    // Begins to count.
    explicit trace_clock(bool cycles) noexcept
        : cycles_(cycles)
        , begin_(now(cycles))
        , steady_(now(false))
    {
    }

    bool cycles() const noexcept { return cycles_; }

    // What turns dates into nanoseconds since the beginning, as far as is known now.
    class scale
    {
    public:
        scale(std::uint64_t begin, double factor) noexcept
            : begin_(begin)
            , factor_(factor)
        {
        }

        // An event that was under way may have a date before the beginning: that is the beginning.
        std::uint64_t operator()(std::uint64_t date) const noexcept
        {
            return date <= begin_
                ? 0
                : static_cast<std::uint64_t>(static_cast<double>(date - begin_) * factor_);
        }

    private:
        std::uint64_t begin_;
        double factor_;
    };

    scale measure() const noexcept
    {
        std::uint64_t const ticks = now(cycles_) - begin_;
        std::uint64_t const time = now(false) - steady_;
        return {begin_, ticks == 0 ? 1.0 : static_cast<double>(time) / static_cast<double>(ticks)};
    }

private:
    bool cycles_ = false;
    std::uint64_t begin_ = 0;
    std::uint64_t steady_ = 0;
};

} // namespace asio_ewyk::detail

#undef ASIO_EWYK_HAS_CYCLES

#endif
