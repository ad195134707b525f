#ifndef ASIO_EWYK_TEST_BENCHMARK_OVERLOAD_HPP
#define ASIO_EWYK_TEST_BENCHMARK_OVERLOAD_HPP

#include "workload.hpp"

namespace benchmark {

/** Functions that compute, submitted at `load` times the rate that the machine could run.

    What counts is goodput: those that are done `deadline` us after they should have been submitted.
    Later nobody waits for the answer any more, so a queue that only grows makes all work useless.
    The bounded peers refuse what they could not run in half of that time.
*/
workload overload_workload();

} // namespace benchmark

#endif
