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
