#ifndef ASIO_EWYK_TEST_BENCHMARK_POST_HPP
#define ASIO_EWYK_TEST_BENCHMARK_POST_HPP

#include "workload.hpp"

namespace benchmark {

/** Functions that do nothing: what it costs to submit and run one.

    With no `producers`, `chains` of them submit themselves again and again; else so many threads
    submit them from outside.
*/
workload post_workload();

} // namespace benchmark

#endif
