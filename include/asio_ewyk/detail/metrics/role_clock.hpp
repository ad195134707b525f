// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_METRICS_ROLE_CLOCK_HPP
#define ASIO_EWYK_DETAIL_METRICS_ROLE_CLOCK_HPP

#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/os/thread_clock.hpp>

#include <boost/config.hpp>

#include <atomic>
#include <chrono>
#include <optional>
#include <utility>

namespace asio_ewyk::detail {

// How much CPU time is used in a role that one thread at a time has, such as the producer's. Only
// the thread that has the role calls it; any thread may call is_mine().
class BOOST_SYMBOL_VISIBLE role_clock
{
public:
    using duration = std::chrono::nanoseconds;

    // Whether this thread was the last one to call begin() or take().
    bool is_mine() const noexcept
    {
        return thread_.load(std::memory_order_relaxed) == this_thread();
    }

    // This thread has the role from now on, and the previous one no longer.
    void begin() noexcept
    {
        auto const now = cpu_time_of(clock_);
        if (now && *now >= began_)
            used_ += *now - began_;
        else
            known_ = false;
        if (now && is_mine())
        {
            began_ = *now;
            waits_ = this_thread_waits();
        }
        else
        {
            restart();
        }
    }

    // Whether this thread has the role, has used so much since its last begin() or take(), and has
    // not waited: it would have used the CPU all the time, if the system had left it that. False if
    // that is not known.
    bool has_run_on(duration least) const noexcept
    {
        return is_mine() && waits_ && waits_ == this_thread_waits()
            && this_thread_cpu_time() - began_ >= least;
    }

    // How much was used since the last call. None if that is not known: the role has come here
    // without a begin(), or a thread that had it ended before the next one called begin(), or the
    // system's clocks are too coarse.
    std::optional<duration> take() noexcept
    {
        bool const same = is_mine();
        if (same)
            begin();
        else
            restart();
        duration const used = std::exchange(used_, duration::zero());
        return std::exchange(known_, true) && same && has_fine_cpu_clocks ? std::optional(used)
                                                                          : std::nullopt;
    }

private:
    // An address that only this thread has.
    static void const* this_thread() noexcept
    {
        static thread_local char const mark = 0;
        return &mark;
    }

    void restart() noexcept
    {
        thread_.store(this_thread(), std::memory_order_relaxed);
        clock_ = this_thread_cpu_clock();
        began_ = this_thread_cpu_time();
        waits_ = this_thread_waits();
    }

    // Of the thread that has the role. Relaxed: a thread looks only for what it has stored itself.
    std::atomic<void const*> thread_{nullptr};
    cpu_clock clock_{};
    duration began_{};
    std::optional<long> waits_;

    duration used_{};
    bool known_ = true;
};

} // namespace asio_ewyk::detail

#endif
