// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_DEADLINE_HPP
#define ASIO_EWYK_DETAIL_OS_DEADLINE_HPP

#include <chrono>
#include <cstdint>

namespace asio_ewyk::detail {

// Deadlines, on the clock that is never set.
using time_point = std::chrono::steady_clock::time_point;

inline constexpr time_point forever = time_point::max();

// As std::chrono::duration_cast, but a time that nanoseconds cannot express becomes the longest one
// or, if it is negative, the shortest. NaN becomes the longest.
template <class Rep, class Period>
constexpr std::chrono::nanoseconds saturated(
    std::chrono::duration<Rep, Period> const& time) noexcept
{
    using ns = std::chrono::nanoseconds;
    using wide = std::chrono::duration<long double, std::nano>;
    wide const exact = time;
    if (!(exact < wide(ns::max())))
        return ns::max();
    return exact > wide(ns::min()) ? std::chrono::duration_cast<ns>(time) : ns::min();
}

// That long after a moment, or from now; forever if the clock does not reach that far.
inline time_point after(std::chrono::nanoseconds time,
    time_point begin = std::chrono::steady_clock::now()) noexcept
{
    return time < forever - begin ? begin + std::chrono::duration_cast<time_point::duration>(time)
                                  : forever;
}

// In nanoseconds; 0 if the clock was not read.
inline std::uint64_t since_epoch(time_point t) noexcept
{
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(t.time_since_epoch()).count());
}

// For an atomic. Never 0, which can stand for no time at all.
inline std::chrono::nanoseconds::rep nonzero_ticks(time_point t) noexcept
{
    return std::chrono::nanoseconds(t.time_since_epoch()).count() | 1;
}

} // namespace asio_ewyk::detail

#endif
