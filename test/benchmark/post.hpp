// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

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
