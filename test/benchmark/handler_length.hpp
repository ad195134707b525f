#ifndef ASIO_EWYK_TEST_BENCHMARK_HANDLER_LENGTH_HPP
#define ASIO_EWYK_TEST_BENCHMARK_HANDLER_LENGTH_HPP

#include "workload.hpp"

namespace benchmark {

/** Handlers of one length, from shorter than a hand-over to far longer: where each strategy pays.

    `chains` of functions submit themselves again after `length` microseconds, in which they
    compute, or sleep if `sleeps` is not 0.
*/
workload handler_length_workload();

} // namespace benchmark

#endif
