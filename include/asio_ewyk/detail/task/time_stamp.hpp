// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TASK_TIME_STAMP_HPP
#define ASIO_EWYK_DETAIL_TASK_TIME_STAMP_HPP

#include <asio_ewyk/detail/os/deadline.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace asio_ewyk::detail {

// A time of the steady clock in 40 bits, for which a task has room: in units of 256 ns, so it wraps
// around after three days. An age is right up to that.
class time_stamp
{
public:
    using duration = std::chrono::nanoseconds;

    time_stamp() noexcept = default;

    explicit time_stamp(time_point t) noexcept
    {
        std::uint64_t const all = units(t);
        for (std::size_t i = 0; i != units_.size(); ++i)
            units_[i] = static_cast<std::uint8_t>(all >> 8 * i);
    }

    // Rounded down, like both times; never negative.
    duration age(time_point now) const noexcept
    {
        std::uint64_t then = 0;
        for (std::size_t i = 0; i != units_.size(); ++i)
            then |= std::uint64_t{units_[i]} << 8 * i;
        return duration(static_cast<duration::rep>((units(now) - then) & most) * unit);
    }

private:
    static constexpr duration::rep unit = 256;

    static constexpr std::uint64_t most = 0xff'ffff'ffff;

    static std::uint64_t units(time_point t) noexcept
    {
        return static_cast<std::uint64_t>(duration(t.time_since_epoch()).count() / unit);
    }

    // The least significant first. Bytes, so that it needs no padding.
    std::array<std::uint8_t, 5> units_{};
};

} // namespace asio_ewyk::detail

#endif
