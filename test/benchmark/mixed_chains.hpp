// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_MIXED_CHAINS_HPP
#define ASIO_EWYK_TEST_BENCHMARK_MIXED_CHAINS_HPP

#include "workload.hpp"

namespace benchmark {

/** Handlers that block beside short ones: what the former take from the latter.

    `chains` of functions compute for `length` microseconds each, `long_chains` sleep for
    `long_length`.
*/
workload mixed_chains_workload();

} // namespace benchmark

#endif
