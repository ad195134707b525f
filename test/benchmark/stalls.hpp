// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_STALLS_HPP
#define ASIO_EWYK_TEST_BENCHMARK_STALLS_HPP

#include "workload.hpp"

namespace benchmark {

/** Handlers that sleep until they are reported as stalled: the latency is the time from when the
    threshold was over to when `on_stall` was called. Beside them there are chains of functions that
    do nothing.
*/
workload stalls_workload();

} // namespace benchmark

#endif
