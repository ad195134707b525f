// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_STRATEGY_HPP
#define ASIO_EWYK_TEST_BENCHMARK_STRATEGY_HPP

#include "workload.hpp"

namespace benchmark {

/** Jetty's own benchmark of its strategies (AdaptiveExecutionStrategyBenchmark, formerly
    EWYKBenchmark), for strategies without any io_context.

    Each of `submitters` threads has a connection: a producer with a queue, and a strategy over it;
    they share a pool of 200 threads, of which 20 may be kept in reserve. An operation is to submit
    1, 2 or 4 requests, produce(), and wait for the answers. To produce a request takes up to 500
    units of CPU, to answer it a session look-up, 100 units under the lock of the session, and 1000
    more; a quarter of them are delayed by up to 62 ms of sleep, or if `sleeps` is 0 by up to 75 000
    units. With `non_blocking` produce() is called by invoke_non_blocking(). Unlike there, no file is
    looked for.
*/
workload strategy_workload();

} // namespace benchmark

#endif
