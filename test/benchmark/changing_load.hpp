// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_CHANGING_LOAD_HPP
#define ASIO_EWYK_TEST_BENCHMARK_CHANGING_LOAD_HPP

#include "workload.hpp"

namespace benchmark {

/** A load that changes: how long it takes until what runs handlers has adapted.

    `chains` of functions compute for `short` microseconds each. Then, for a quarter of the time
    each, they compute for `length`; for `short` again; for `short` beside `long_chains` that sleep
    for `long_length`; for `short` again. Of each quarter is reported after how many milliseconds,
    in steps of 10, the rate of 50 ms is 95 % of the second half's for the first time: `longer_ms`,
    `shorter_ms`, `sleepers_ms`, `awake_ms`. And that rate, as `longer_per_second` and so on: it is
    low if what runs handlers has not adapted at all.
*/
workload changing_load_workload();

} // namespace benchmark

#endif
