// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_SHUTDOWN_WAIT_HPP
#define ASIO_EWYK_DETAIL_LOOP_SHUTDOWN_WAIT_HPP

#include <asio_ewyk/detail/loop/event_loop_service.hpp>
#include <asio_ewyk/detail/loop/loop_watchers.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/signals.hpp>

#include <boost/asio/append.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/system/error_code.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

// A completion handler that waits for the end of event loops, and keeps its executor busy
// meanwhile. It has a thread, which owns it: a loop that is stuck cannot tell the time. It may
// outlive the loops, for they tell it when they end, and wait until it uses them no more.
template <class Handler>
class shutdown_wait final : public loop_watcher,
                            public std::enable_shared_from_this<shutdown_wait<Handler>>
{
public:
    shutdown_wait(Handler&& handler, std::vector<event_loop_service*> loops, time_point until)
        : deadline_(until)
        , loops_(std::move(loops))
        , work_(asio::get_associated_executor(handler, asio::system_executor()))
        , own_(own_loop())
        , handler_(std::move(handler))
    {
        if (own_)
            work_.reset(); // the loop could not end
    }

    // Has the loops tell of their end. Throws std::bad_alloc.
    void watch()
    {
        auto const loops = loops_; // from now on they change the list
        for (event_loop_service* loop : loops)
        {
            loop->add_watcher(this->shared_from_this());
            // It may have told before.
            if (loop->terminated())
                loop_ended(loop->context());
        }
    }

    // Throws std::system_error if its thread cannot be started.
    void start()
    {
        block_signals const blocked;
        std::thread([self = this->shared_from_this()] { self->wait(); }).detach();
    }

    // It need not wait any longer. Any thread.
    void cancel()
    {
        std::lock_guard const lock(mutex_);
        cancelled_ = true;
        changed_.notify_one();
    }

private:
    // If the handler has none, the one that Asio fell back to before Boost 1.90. Its later fallback
    // accepts no post().
    using executor = asio::associated_executor_t<Handler, asio::system_executor>;

    // The loop that the handler's executor is of, null if that is none of them.
    event_loop_service* own_loop() const
    {
        if constexpr (asio::can_query<executor, asio::execution::context_t>::value)
        {
            asio::execution_context const& context
                = asio::query(work_.get_executor(), asio::execution::context);
            for (event_loop_service* loop : loops_)
                if (&loop->context() == &context)
                    return loop;
        }
        return nullptr;
    }

    void loop_closes(asio::execution_context&) noexcept override {}

    void loop_ended(asio::execution_context& loop) noexcept override
    {
        std::lock_guard const lock(mutex_);
        std::erase_if(loops_, [&](auto* l) { return &l->context() == &loop; });
        changed_.notify_one();
    }

    void wait() noexcept
    {
        boost::system::error_code error;
        std::unique_lock lock(mutex_);
        bool const in_time = changed_.wait_until(
            lock, deadline_, [this] { return loops_.empty() || cancelled_; });
        bool all = true;
        if (!in_time)
            for (event_loop_service* loop : loops_)
                all = loop->wait_for_end(deadline_) && all;
        if (!all)
            error = asio::error::timed_out;
        else if (in_time && !loops_.empty())
            error = asio::error::operation_aborted;
        // A loop that has not ended waits for the lock when it does. One that has would destroy the
        // handler, which may be its last owner: so does this thread.
        bool const has_ended
            = own_ && std::find(loops_.begin(), loops_.end(), own_) == loops_.end();
        if (!own_ || has_ended)
            lock.unlock();
        if (has_ended)
        {
            [[maybe_unused]] Handler const dropped(std::move(handler_));
            return;
        }
        // Work until the post is done, or the executor's context might be gone by then. Never
        // inline: the handler may destroy the loop.
        auto const work = std::move(work_);
        executor const where = work.get_executor();
        asio::post(asio::bind_executor(where, asio::append(std::move(handler_), error)));
    }

    time_point const deadline_;

    std::mutex mutex_; // guards the next three
    std::condition_variable changed_;
    std::vector<event_loop_service*> loops_; // that have not ended
    bool cancelled_ = false;

    // Of the thread that waits, once that was started.
    asio::executor_work_guard<executor> work_;
    event_loop_service* const own_;
    Handler handler_;
};

// Shuts the loops down, and completes when all have ended or the time is over.
template <class CompletionToken>
auto async_shutdown(std::vector<event_loop_service*> all, std::chrono::nanoseconds quiet_period,
    std::chrono::nanoseconds timeout, CompletionToken&& token)
{
    auto const initiate = [quiet_period, timeout]<class Handler>(
                              Handler handler, std::vector<event_loop_service*> loops) {
        time_point const deadline = after(timeout);
        for (event_loop_service* loop : loops)
            loop->request_shutdown(quiet_period, deadline);
        auto slot = asio::get_associated_cancellation_slot(handler);
        auto const wait = std::make_shared<shutdown_wait<Handler>>(
            std::move(handler), std::move(loops), deadline);
        wait->watch();
        // Before the handler can be called: it may use the slot again.
        if (slot.is_connected())
            slot.assign([weak = std::weak_ptr(wait)](asio::cancellation_type type) {
                // Not total, which must have no effect: the shutdown has begun.
                using types = asio::cancellation_type;
                if ((type & (types::terminal | types::partial)) != types::none)
                    if (auto const w = weak.lock())
                        w->cancel();
            });
        wait->start();
    };
    return asio::async_initiate<CompletionToken, void(boost::system::error_code)>(
        initiate, token, std::move(all));
}

} // namespace asio_ewyk::detail

#endif
