// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_FRAME_LESSOR_HPP
#define ASIO_EWYK_DETAIL_FRAME_LESSOR_HPP

#include <asio_ewyk/detail/frame/lease.hpp>

namespace asio_ewyk::detail {

class call_frame;

// What leases the right to produce while a task runs: a succession, for code that is below it.
class lessor
{
public:
    // Any thread: whether another one could come for that lease. Asked before the look at what its
    // thread does: one that merely waits for I/O stays there when it is taken over by mistake, and
    // may be the last of the pool.
    virtual bool may_take_over(lease::sight const& s) const noexcept = 0;

    // Any thread: has another thread produce, if that lease has not ended. A thread of idle
    // priority (`may_start` false) starts none; if one has to be started, it returns needs_start.
    enum class outcome
    {
        ended, // there is no such lease any more
        taken,
        needs_start,
    };
    virtual outcome take_over(lease::number n, bool may_start) noexcept = 0;

    // The watchdog: the producer runs, and nothing has marked what for a while. It is asked to mark
    // each native handler for a while.
    virtual void call_out() noexcept = 0;

    // Whether a waiting producer waits for I/O, rather than for a condition. The watchdog: asks
    // it to do so from now on; false if it does already.
    virtual bool waits_for_io() const noexcept = 0;
    virtual bool provide_io() noexcept = 0;

    // After needs_start, by a thread that may start others.
    virtual void start_pending() noexcept = 0;

    // The thread of that lease, from within the task, which is going to be late.
    virtual void release(lease::number n) noexcept = 0;

    // The thread of that frame, in a task beside which no other runs: others may, until it waits in
    // come_back() for the right to produce that it gives away here.
    virtual void go_away(call_frame& frame) noexcept = 0;
    virtual void come_back(call_frame& frame) noexcept = 0;

protected:
    ~lessor() = default;
};

} // namespace asio_ewyk::detail

#endif
