// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_NETWORK_ALLOCATION_COUNTER_HPP
#define ASIO_EWYK_TEST_BENCHMARK_NETWORK_ALLOCATION_COUNTER_HPP

/// From now on each allocation of the process adds 1 to the 64-bit number that the file begins with,
/// so that another process can read it at any time. Throws std::system_error.
void count_allocations(char const* file);

#endif
