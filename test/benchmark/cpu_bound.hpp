#ifndef ASIO_EWYK_TEST_BENCHMARK_CPU_BOUND_HPP
#define ASIO_EWYK_TEST_BENCHMARK_CPU_BOUND_HPP

#include "workload.hpp"

namespace benchmark {

/// Chains of handlers that compute for `length` microseconds: how many cores come into use.
workload cpu_bound_workload();

} // namespace benchmark

#endif
