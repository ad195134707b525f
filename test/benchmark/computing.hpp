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
