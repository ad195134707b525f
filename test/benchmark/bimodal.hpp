// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_BIMODAL_HPP
#define ASIO_EWYK_TEST_BENCHMARK_BIMODAL_HPP

#include "workload.hpp"

namespace benchmark {

/** Many short functions and few that sleep for long, submitted at a fixed rate.

    The latency is that of the short ones, from when one should have been submitted until it is
    done, also if the submitter is late (no coordinated omission). What is not done at the end
    counts with the time that it has taken so far.
*/
workload bimodal_workload();

} // namespace benchmark

#endif
