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
