// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_METRICS_COUNTER_HPP
#define ASIO_EWYK_DETAIL_METRICS_COUNTER_HPP

#include <boost/config.hpp>

#include <atomic>
#include <cstdint>

namespace asio_ewyk::detail {

// Counts what only one thread at a time does, such as the producer: a plain load and store. A
// thread that takes over that role has seen what the previous one wrote.
//
// Release and acquire: a thread that reads it also sees what was counted before. That costs
// nothing where stores are in order anyway.
class own_counter
{
public:
    BOOST_FORCEINLINE void add(std::uint64_t n = 1) noexcept
    {
        value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_release);
    }

    void raise_to(std::uint64_t n) noexcept
    {
        if (value_.load(std::memory_order_relaxed) < n)
            value_.store(n, std::memory_order_release);
    }

    std::uint64_t get() const noexcept { return value_.load(std::memory_order_acquire); }

private:
    std::atomic<std::uint64_t> value_{0};
};

// Counts what any thread does.
class shared_counter
{
public:
    void add(std::uint64_t n = 1) noexcept { value_.fetch_add(n, std::memory_order_release); }
    std::uint64_t get() const noexcept { return value_.load(std::memory_order_acquire); }

private:
    std::atomic<std::uint64_t> value_{0};
};

} // namespace asio_ewyk::detail

#endif
