// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_TASK_SHARE_HPP
#define ASIO_EWYK_DETAIL_LOOP_TASK_SHARE_HPP

#include <asio_ewyk/detail/utility/checked_option.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace asio_ewyk::detail {

// How long the tasks of an event loop may run in a round, between two rounds of I/O: a deficit
// round robin of two. The length of a round of I/O cannot be limited; tasks get their share
// afterwards, and any excess is deducted in the next round.
//
// Where a round of I/O was too short to count, or there was none, a fixed time limits the tasks.
class task_share
{
public:
    using duration = std::chrono::nanoseconds;

    explicit task_share(int io_ratio)
        : io_ratio_(io_ratio)
    {
        check_option(io_ratio >= 1 && io_ratio <= 100, "event_loop_options::io_ratio",
            "from 1 to 100", io_ratio);
    }

    // A round of tasks begins, that long after the last one; 0 if the loop may have waited since.
    void begin(duration io) noexcept
    {
        contended_ = io >= least;
        // What tasks did not use is lost, as in a deficit round robin where a queue runs empty;
        // otherwise those that come later could keep I/O waiting for all of it.
        if (contended_)
            credit_ = std::min(credit_, duration::zero())
                + std::min(io, forgotten) * (100 - io_ratio_) / io_ratio_;
        else
            credit_ = duration::zero();
    }

    // How many tasks may run before the next look at the clock; 0: none in this round.
    std::size_t tasks() const noexcept
    {
        return !contended_ || credit_ > duration::zero() || io_ratio_ == 100 ? between_looks : 0;
    }

    // After that many, which took that long in this round: whether there may be as many again.
    bool more(duration time) const noexcept { return time < (contended_ ? credit_ : longest); }

    // The round took that long.
    void end(duration time) noexcept
    {
        if (contended_ && io_ratio_ != 100)
            credit_ = std::max(credit_ - time, -most * (100 - io_ratio_) / io_ratio_);
    }

private:
    // A look for I/O that finds none takes less.
    static constexpr duration least = std::chrono::microseconds(10);

    // A round of I/O that took longer counts as that long.
    static constexpr duration forgotten = std::chrono::seconds(10);

    // The longest time that one round may owe to the next: tasks pay so long at most for a very
    // long one.
    static constexpr duration most = std::chrono::milliseconds(100);

    // A round without I/O before it, so that I/O is looked for soon.
    static constexpr duration longest = std::chrono::milliseconds(1);

    static constexpr std::size_t between_looks = 64; // Netty's figure

    int io_ratio_;
    bool contended_ = false;
    duration credit_{};
};

} // namespace asio_ewyk::detail

#endif
