// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_CONTEXTS_HPP
#define ASIO_EWYK_TEST_BENCHMARK_CONTEXTS_HPP

#include "workload.hpp"

namespace benchmark {

/** `contexts` of them, each with a thread and a timer that expires `rate` times a second: what a
    handler costs where there is little to do.
*/
workload seldom_workload();

/// A context is made, runs one handler and is destroyed, again and again.
workload lifetime_workload();

} // namespace benchmark

#endif
