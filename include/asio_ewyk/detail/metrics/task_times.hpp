// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_METRICS_TASK_TIMES_HPP
#define ASIO_EWYK_DETAIL_METRICS_TASK_TIMES_HPP

#include <asio_ewyk/detail/metrics/histogram_recorder.hpp>

#include <memory>

namespace asio_ewyk::detail {

// What a context, a loop or a pool with the option `timing` measures. Any thread.
struct task_times
{
    histogram_recorder queue_delay;
    histogram_recorder run_time;
    histogram_recorder poll_delay;
};

// Null: nothing is measured.
inline std::unique_ptr<task_times> times_if(bool timing)
{
    return timing ? std::make_unique<task_times>() : nullptr;
}

} // namespace asio_ewyk::detail

#endif
