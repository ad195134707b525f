// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_REAL_HPP
#define ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_REAL_HPP

#include "arrangement.hpp"

#include <chrono>

namespace virtual_time {

/** The same load on threads and by the clock, with the process bound to load.cores CPUs; the median of
    some runs. Of the result only what a second brings, and how many cores
    were busy with it: fewer than it wants where the machine does something else, too.

    @throws std::system_error if there are not so many CPUs.
*/
result run_really(workload const& load, arrangement const& by);

} // namespace virtual_time

#endif
