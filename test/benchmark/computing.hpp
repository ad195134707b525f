// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_COMPUTING_HPP
#define ASIO_EWYK_TEST_BENCHMARK_COMPUTING_HPP

#include <chrono>
#include <cstdint>

namespace benchmark {

/// Computes so many steps, which all depend on each other and on `seed`.
std::uint64_t compute(std::uint64_t steps, std::uint64_t seed) noexcept;

/// How many steps take that long on a core that does nothing else. Measures for some milliseconds.
std::uint64_t steps_of(std::chrono::nanoseconds time);

} // namespace benchmark

#endif
