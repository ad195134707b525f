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
