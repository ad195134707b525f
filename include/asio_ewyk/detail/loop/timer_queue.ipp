// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_TIMER_QUEUE_IPP
#define ASIO_EWYK_DETAIL_LOOP_TIMER_QUEUE_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/loop/timer_queue.hpp>

#include <memory>
#include <mutex>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL void timer_queue::end_series() noexcept
{
    std::lock_guard const lock(mutex_);
    if (accepts_ == accepts::everything)
        accepts_ = accepts::once;
    for (entry& e : entries_)
        if (e.kind_ != kind::once)
            e.cancel_locked();
}

ASIO_EWYK_DECL void timer_queue::close() noexcept
{
    for (;;)
    {
        std::shared_ptr<entry> e;
        {
            std::lock_guard const lock(mutex_);
            accepts_ = accepts::nothing;
            if (entries_.empty())
                return;
            e = entries_.front().shared_from_this();
            e->state_ = entry::state::cancelled;
        }
        e->end();
    }
}

ASIO_EWYK_DECL bool timer_queue::entry::cancel_locked() noexcept
{
    if (state_ != state::live)
        return false;
    state_ = state::cancelled;
    // Its handler destroys the function, on the loop's thread, where it belongs; where a run is
    // under way, that does.
    timer_->cancel();
    return true;
}

// Under the mutex.
ASIO_EWYK_DECL void timer_queue::entry::arm()
{
    timer_->expires_at(due_);
    timer_->async_wait(expiry{shared_from_this()});
}

// On the loop's thread: it is due or was cancelled.
ASIO_EWYK_DECL void timer_queue::entry::on_time()
{
    try
    {
        if (begin())
        {
            call();
            if (again())
                return;
        }
    }
    catch (...)
    {
        end();
        throw;
    }
    end();
}

// Whether it is to run now.
ASIO_EWYK_DECL bool timer_queue::entry::begin()
{
    std::lock_guard const lock(table_->mutex_);
    if (state_ == state::cancelled)
        return false;
    table_->runs_.add();
    if (kind_ == kind::once)
        state_ = state::last;
    return true;
}

// Whether it waits for its next run. That is due at once if this one took too long; but between
// the two the io_context does its other work.
ASIO_EWYK_DECL bool timer_queue::entry::again()
{
    std::lock_guard const lock(table_->mutex_);
    if (state_ != state::live)
        return false;
    due_ = kind_ == kind::fixed_rate ? after(period_, due_) : after(period_);
    arm();
    return true;
}

ASIO_EWYK_DECL void timer_queue::entry::end() noexcept
{
    {
        std::lock_guard const lock(table_->mutex_);
        if (state_ == state::live) // it threw
            state_ = state::last;
        if (kind_ == kind::once && state_ == state::last)
            table_->last_ran_ = std::chrono::steady_clock::now();
    }
    destroy_function();
    std::lock_guard const lock(table_->mutex_);
    table_->entries_.erase(table_->entries_.iterator_to(*this));
    timer_.reset();
}

} // namespace asio_ewyk::detail

#endif
