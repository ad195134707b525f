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
            e->state_.store(entry::state::cancelling);
        }
        e->end();
    }
}

ASIO_EWYK_DECL bool timer_queue::entry::cancel_locked() noexcept
{
    state const before = state_.load();
    if (before != state::waiting && before != state::running)
        return false;
    state_.store(state::cancelling);
    // The timer's handler destroys the function, on the loop's thread, where it belongs.
    if (before == state::waiting)
        timer_->cancel();
    return true;
}

// Under the mutex.
ASIO_EWYK_DECL void timer_queue::entry::arm()
{
    timer_->expires_at(due_);
    timer_->async_wait([self = shared_from_this()](boost::system::error_code) {
        self->on_time();
    });
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
    if (state_.load() != state::waiting)
        return false;
    bool const once = kind_ == kind::once;
    table_->runs_.add();
    state_.store(once ? state::ending : state::running);
    return true;
}

// Whether it waits for its next run. That is due at once if this one took too long; but between
// the two the io_context does its other work.
ASIO_EWYK_DECL bool timer_queue::entry::again()
{
    std::lock_guard const lock(table_->mutex_);
    if (state_.load() != state::running)
        return false;
    due_ = kind_ == kind::fixed_rate ? after(period_, due_) : after(period_);
    arm();
    state_.store(state::waiting);
    return true;
}

ASIO_EWYK_DECL void timer_queue::entry::end() noexcept
{
    {
        std::lock_guard const lock(table_->mutex_);
        if (state_.load() == state::running)
            state_.store(state::ending);
        if (kind_ == kind::once && state_.load() == state::ending)
            table_->last_ran_ = std::chrono::steady_clock::now();
    }
    destroy_function();
    std::lock_guard const lock(table_->mutex_);
    table_->entries_.erase(table_->entries_.iterator_to(*this));
    timer_.reset();
    state_.store(state_.load() == state::cancelling ? state::cancelled : state::finished);
}

} // namespace asio_ewyk::detail

#endif
