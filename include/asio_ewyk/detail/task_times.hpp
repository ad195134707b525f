#ifndef ASIO_EWYK_DETAIL_TASK_TIMES_HPP
#define ASIO_EWYK_DETAIL_TASK_TIMES_HPP

#include <asio_ewyk/detail/deadline.hpp>
#include <asio_ewyk/detail/histogram_recorder.hpp>
#include <asio_ewyk/detail/time_stamp.hpp>

#include <boost/config.hpp>

#include <chrono>
#include <memory>

namespace asio_ewyk::detail {

// What a context, a loop or a pool measures that has the option `timing`. Any thread.
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
            times_->run_time.record(std::chrono::steady_clock::now() - began_);
    }

    time_point began() const noexcept { return began_; }

private:
    task_times* const times_;
    time_point const began_;
};

// Runs a task, and measures how long it has waited and runs. Where nothing is measured it costs one
// branch; not inlined, so that it is not more.
template <class Task>
BOOST_NOINLINE void run_measured(task_times& times, Task& t)
{
    timed_run const timed(&times);
    times.queue_delay.record(t.submitted.age(timed.began()));
    t.run();
}

template <class Task>
void run_timed(task_times* times, Task& t)
{
    if (times) [[unlikely]]
        run_measured(*times, t);
    else
        t.run();
}

} // namespace asio_ewyk::detail

#endif
