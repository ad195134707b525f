// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_IO_RATIO_HPP
#define ASIO_EWYK_TEST_BENCHMARK_IO_RATIO_HPP

#include "workload.hpp"

namespace benchmark {

/// Sockets that always have something to read, beside tasks without end: the share of the loop's
/// time that each gets, for an `io_ratio` of `ratio`.
workload io_ratio_workload();

} // namespace benchmark

#endif
