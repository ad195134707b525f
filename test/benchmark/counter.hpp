// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_COUNTER_HPP
#define ASIO_EWYK_TEST_BENCHMARK_COUNTER_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace benchmark {

/** Counts what one thread after the other does; another one may read it meanwhile.

    @par Thread Safety
    add() is for one thread at a time, value() for any.
*/
class alignas(64) counter // so that two never share a cache line
{
public:
    // Relaxed: only the number matters, and there is one writer.
    void add(std::uint64_t n = 1) noexcept
    {
        value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }

    // Relaxed: likewise.
    std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

/// The sum of the values.
template <class Counters>
std::uint64_t sum(Counters const& counters) noexcept
{
    std::uint64_t total = 0;
    for (counter const& each : counters)
        total += each.value();
    return total;
}

} // namespace benchmark

#endif
