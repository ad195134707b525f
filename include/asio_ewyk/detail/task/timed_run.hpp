// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TASK_TIMED_RUN_HPP
#define ASIO_EWYK_DETAIL_TASK_TIMED_RUN_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/task/task.hpp>

#include <chrono>

namespace asio_ewyk::detail {

struct task_times;

// Measures how long something runs, to the end of the scope, also if it throws.
class timed_run
{
public:
    explicit timed_run(task_times* times) noexcept
        : times_(times)
        , began_(times ? std::chrono::steady_clock::now() : time_point{})
    {
    }

    timed_run(timed_run const&) = delete;
    timed_run& operator=(timed_run const&) = delete;

    ~timed_run()
    {
        if (times_)
            record();
    }

    time_point began() const noexcept { return began_; }

private:
    void record() const noexcept;

    task_times* const times_;
    time_point const began_;
};

// Runs a task, and measures how long it has waited and runs.
void run_measured(task_times& times, task& t);

// Runs a task, and measures it if `times` is not null; else that costs one branch.
inline void run_timed(task_times* times, task& t)
{
    if (times) [[unlikely]]
        run_measured(*times, t);
    else
        t.run();
}

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/task/timed_run.ipp>
#endif

#endif
