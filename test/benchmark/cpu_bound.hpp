// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_CPU_BOUND_HPP
#define ASIO_EWYK_TEST_BENCHMARK_CPU_BOUND_HPP

#include "workload.hpp"

namespace benchmark {

/// Chains of handlers that compute for `length` microseconds: how many cores come into use.
workload cpu_bound_workload();

} // namespace benchmark

#endif
