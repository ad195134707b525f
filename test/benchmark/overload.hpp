// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_OVERLOAD_HPP
#define ASIO_EWYK_TEST_BENCHMARK_OVERLOAD_HPP

#include "workload.hpp"

namespace benchmark {

/** Functions that compute, submitted at `load` times the rate that the machine could run.

    What counts is goodput: those that are done `deadline` us after they should have been submitted.
    Later the client does not wait for the answer any more, so a queue that only grows makes all
    work useless. The bounded peers refuse what they could not run in half of that time.
*/
workload overload_workload();

} // namespace benchmark

#endif
