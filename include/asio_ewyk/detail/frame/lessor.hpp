// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_FRAME_LESSOR_HPP
#define ASIO_EWYK_DETAIL_FRAME_LESSOR_HPP

#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>

namespace asio_ewyk::detail {

class call_frame;

// What leases the right to produce while a task runs: a succession, for code that is below it.
class lessor
{
public:
    // The watchdog: has another thread produce, if that lease has not ended.
    virtual void take_over(lease::number n) noexcept = 0;

    // The watchdog, which cannot tell whether the producer is in a handler, or waits for a
    // condition as nothing does I/O: asks for a sign of life, which a thread gives that looks for
    // handlers. has_sign(): whether one has since.
    virtual void ask_for_sign() noexcept = 0;
    virtual bool has_sign() const noexcept = 0;

    // Whether no other thread waits inside the io_context, beside the producer.
    virtual bool is_alone() const noexcept = 0;

    // The watchdog: whether that is the lease of another thread than the one that stays inside
    // run() and is to have the right back; and has that one come for it, if it waits for a
    // condition there.
    virtual bool is_lent(lease::sight const& s) const noexcept = 0;
    virtual void call_owner() noexcept = 0;

    // The watchdog, at each look: when, the lease, and whether its thread runs. True if the next
    // look is to come soon.
    virtual bool watched(time_point now, lease::sight const& s, bool runs) noexcept = 0;

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
