// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TASK_TIMED_RUN_IPP
#define ASIO_EWYK_DETAIL_TASK_TIMED_RUN_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/metrics/task_times.hpp>
#include <asio_ewyk/detail/task/timed_run.hpp>

#include <chrono>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL void timed_run::record() const noexcept
{
    times_->run_time.record(std::chrono::steady_clock::now() - began_);
}

ASIO_EWYK_DECL void run_measured(task_times& times, task& t)
{
    timed_run const timed(&times);
    times.queue_delay.record(timed.began() - t.submitted);
    t.run();
}

} // namespace asio_ewyk::detail

#endif
