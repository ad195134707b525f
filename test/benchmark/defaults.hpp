// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_DEFAULTS_HPP
#define ASIO_EWYK_TEST_BENCHMARK_DEFAULTS_HPP

#include "parameters.hpp"

namespace benchmark {

/// Parameters of a workload together with those of its peers, see peers.hpp.
inline parameters::map with_peers(double threads, parameters::map workload)
{
    workload.merge(parameters::map{{"threads", threads}, {"max_threads", 16}, {"grace", 10},
        {"stall_threshold", -1}, {"timing", 0}, {"trace", 0}, {"recorder", 0}});
    return workload;
}

} // namespace benchmark

#endif
