// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_STALL_LAG_FINDER_HPP
#define ASIO_EWYK_DETAIL_STALL_LAG_FINDER_HPP

#include <asio_ewyk/detail/os/deadline.hpp>

#include <chrono>
#include <cstddef>
#include <optional>

namespace asio_ewyk::detail {

// Finds out that tasks wait for longer than a threshold in a first-in, first-out queue. It counts
// the waiting tasks, and later compares how many have been taken since: if fewer, the last of them
// still waits.
class lag_finder
{
public:
    struct lag
    {
        std::chrono::nanoseconds time; // that tasks have waited
        std::size_t ran;               // how many were taken meanwhile
    };

    // `longest`: the longest time that a current handler has run. If that is a stall by itself, it
    // explains why tasks wait; if it may become a stall, it is too early to say. `count` tells how
    // many wait.
    template <class Count>
    std::optional<lag> look(time_point now, std::chrono::nanoseconds threshold, std::size_t taken,
        std::chrono::nanoseconds longest, Count count)
    {
        if (longest >= threshold)
        {
            open_ = false;
            return std::nullopt;
        }
        if (!open_)
        {
            open(now, taken, count());
            return std::nullopt;
        }
        if (now - began_ < threshold || longest >= threshold / 2)
            return std::nullopt;
        std::size_t const ran = taken - taken_;
        bool const late = ran < waited_;
        bool const news = late && !told_;
        lag const found{now - began_, ran};
        told_ = late;
        open(now, taken, count());
        if (news)
            return found;
        return std::nullopt;
    }

    // No thread serves the queue, so none can be late.
    void reset() noexcept { open_ = told_ = false; }

private:
    void open(time_point now, std::size_t taken, std::size_t waiting) noexcept
    {
        open_ = waiting != 0;
        told_ = told_ && open_;
        began_ = now;
        taken_ = taken;
        waited_ = waiting;
    }

    bool open_ = false;
    bool told_ = false; // reported, and not better since
    time_point began_{};
    std::size_t taken_ = 0;  // then
    std::size_t waited_ = 0; // then
};

} // namespace asio_ewyk::detail

#endif
