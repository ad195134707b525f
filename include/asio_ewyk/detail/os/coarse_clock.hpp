// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_COARSE_CLOCK_HPP
#define ASIO_EWYK_DETAIL_OS_COARSE_CLOCK_HPP

#include <asio_ewyk/detail/os/deadline.hpp>

#include <chrono>

#if defined(__linux__)
#include <time.h>
#endif

namespace asio_ewyk::detail {

// The steady clock as it was at the system's last tick: clock_gettime(2), CLOCK_MONOTONIC_COARSE.
// It is never ahead of the steady clock. doc/design.adoc says what it saves.
class coarse_clock
{
public:
    // For one that would be content with such an error; that is not less than the pause between two
    // ticks. Where there is no such clock, it reads the steady one.
    explicit coarse_clock([[maybe_unused]] std::chrono::nanoseconds error) noexcept
    {
#if defined(__linux__)
        timespec t{};
        if (::clock_getres(CLOCK_MONOTONIC_COARSE, &t) == 0 && duration_of(t) <= error)
            tick_ = duration_of(t);
#endif
    }

    // Between two ticks; 0: it is the steady clock.
    std::chrono::nanoseconds tick() const noexcept { return tick_; }

    time_point now() const noexcept
    {
#if defined(__linux__)
        if (timespec t{};
            tick_.count() != 0 && ::clock_gettime(CLOCK_MONOTONIC_COARSE, &t) == 0)
            return time_point(duration_of(t));
#endif
        return std::chrono::steady_clock::now();
    }

private:
#if defined(__linux__)
    static std::chrono::nanoseconds duration_of(timespec const& t) noexcept
    {
        return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
    }
#endif

    std::chrono::nanoseconds tick_{};
};

} // namespace asio_ewyk::detail

#endif
