// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_CHECK_HPP
#define ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_CHECK_HPP

namespace virtual_time {

/** Checks the model: each handler of a chain runs once for each time that it was posted, no core is idle
    while a thread waits for one, two runs are the same, and what can be computed comes out.

    @throws std::logic_error if that is not so.
*/
void check_model();

} // namespace virtual_time

#endif
