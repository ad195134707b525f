// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "computing.hpp"

#include <algorithm>
#include <limits>

namespace benchmark {

// The generator of drand48, as in JMH's Blackhole.consumeCPU, which Jetty's benchmark uses.
std::uint64_t compute(std::uint64_t steps, std::uint64_t seed) noexcept
{
    for (; steps != 0; --steps)
        seed = (seed * 0x5DEECE66D + 0xB + steps) & 0xFFFFFFFFFFFF;
    return seed;
}

std::uint64_t steps_of(std::chrono::nanoseconds time)
{
    constexpr std::uint64_t steps = 50'000;
    auto best = std::numeric_limits<std::chrono::nanoseconds::rep>::max();
    std::uint64_t volatile seed = 0;
    // The least of some: whatever disturbs makes it longer.
    for (int i = 0; i != 40; ++i)
    {
        auto const began = std::chrono::steady_clock::now();
        seed = compute(steps, seed);
        best = std::min(best, (std::chrono::steady_clock::now() - began).count());
    }
    return static_cast<std::uint64_t>(time.count()) * steps / static_cast<std::uint64_t>(best);
}

} // namespace benchmark
