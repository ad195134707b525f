// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_RECEIVED_DATA_HPP
#define ASIO_EWYK_TEST_BENCHMARK_RECEIVED_DATA_HPP

#include "workload.hpp"

namespace benchmark {

/** A task that reads what production has just received: what it is worth that one thread does both.

    Production copies `kib` KiB into a buffer, as the system does with what came for a socket, and
    the task adds them up. There are 16 buffers, in turns; production waits for one that is free. An
    operation is a KiB. Strategies without any io_context, and for comparison a thread that produces
    and gives each task to an asio::thread_pool of as many threads as there are cores.
*/
workload received_data_workload();

} // namespace benchmark

#endif
