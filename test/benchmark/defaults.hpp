#ifndef ASIO_EWYK_TEST_BENCHMARK_DEFAULTS_HPP
#define ASIO_EWYK_TEST_BENCHMARK_DEFAULTS_HPP

#include "parameters.hpp"

namespace benchmark {

/// Parameters of a workload together with those of its peers, see peers.hpp.
inline parameters::map with_peers(double threads, parameters::map workload)
{
    workload.merge(parameters::map{{"threads", threads}, {"max_threads", 16}, {"grace", 10},
        {"stall_threshold", -1}, {"timing", 0}, {"trace", 0}});
    return workload;
}

} // namespace benchmark

#endif
