// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_FRAME_LESSOR_HPP
#define ASIO_EWYK_DETAIL_FRAME_LESSOR_HPP

#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>

namespace asio_ewyk::detail {

class call_frame;

// Leases the right to produce while a task runs: the succession, as the frames and the watchdog see
// it, which are below it.
class lessor
{
public:
    // The watchdog's thread: ends that lease, unless it has ended, and has another thread produce.
    virtual void take_over(lease::number n) noexcept = 0;

    // The watchdog's thread, where it cannot tell whether the producer is in a handler or waits for
    // Asio's condition: asks for a sign of life, which the next thread gives that looks for
    // handlers. has_sign(): whether a thread has given it.
    virtual void ask_for_sign() noexcept = 0;
    virtual bool has_sign() const noexcept = 0;

    // Whether no thread but the producer waits inside the io_context.
    virtual bool is_alone() const noexcept = 0;

    // The watchdog's thread: whether there is an owner and the lease is another thread's, or
    // another thread is lent; and wakes the owner, which takes the right back if it waits for
    // Asio's condition.
    virtual bool is_lent(lease::snapshot const& s) const noexcept = 0;
    virtual void wake_owner() noexcept = 0;

    // The watchdog's thread, at each check: the time, the lease, and whether its thread runs. True
    // if the next check is to come soon.
    virtual bool on_check(time_point now, lease::snapshot const& s, bool runs) noexcept = 0;

    // The thread of that lease, in a task that says that it is about to block: ends the lease.
    virtual void release(lease::number n) noexcept = 0;

    // The thread of that frame, in a task beside which no other runs: gives the right away, so that
    // others may run, and waits in leave_section() until it has the right again.
    virtual void enter_section(call_frame& frame) noexcept = 0;
    virtual void leave_section(call_frame& frame) noexcept = 0;

protected:
    ~lessor() = default;
};

} // namespace asio_ewyk::detail

#endif
