// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

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
