// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_SHUTDOWN_WAIT_HPP
#define ASIO_EWYK_DETAIL_LOOP_SHUTDOWN_WAIT_HPP

#include <asio_ewyk/detail/loop/context_watch.hpp>
#include <asio_ewyk/detail/loop/event_loop_service.hpp>
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
#include <shared_mutex>
#include <thread>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

// A completion handler that waits for the end of event loops, and keeps its executor busy
// meanwhile. It has a thread, which owns it: a loop that is stuck cannot tell the time. It may
// outlive the loops, for they tell it when they end.
template <class Handler>
class shutdown_wait final : public context_watcher,
                            public std::enable_shared_from_this<shutdown_wait<Handler>>
{
public:
    shutdown_wait(Handler&& handler, std::vector<event_loop_service*> loops, time_point until)
        : deadline_(until)
        , loops_(std::move(loops))
        , work_(asio::get_associated_executor(handler, asio::system_executor()))
        , own_(belongs_to_them())
        , handler_(std::move(handler))
    {
    }

    ~shutdown_wait()
    {
        if (thread_.joinable()) // by itself, which ends now
            thread_.detach();
    }

    // Has the loops tell of their end. Throws std::bad_alloc.
    void watch()
    {
        auto const loops = loops_; // from now on they change the list
        for (event_loop_service* loop : loops)
        {
            asio::use_service<context_watch>(loop->context())
                .add(this->shared_from_this(), mutex_);
            // It may have told before.
            if (loop->terminated())
                context_ended(loop->context());
        }
    }

    // Throws std::system_error if its thread cannot be started.
    void start()
    {
        std::lock_guard const lock(*mutex_);
        block_signals const blocked;
        thread_ = std::thread([self = this->shared_from_this()] { self->wait(); });
    }

    // It need not wait any longer. Any thread.
    void cancel()
    {
        std::lock_guard const lock(*mutex_);
        cancelled_ = true;
        changed_.notify_one();
    }

private:
    // If the handler has none, the one that Asio fell back to before Boost 1.90. Its later fallback
    // accepts no post().
    using executor = asio::associated_executor_t<Handler, asio::system_executor>;

    // Whether the handler's executor is of one of the loops.
    bool belongs_to_them() const
    {
        if constexpr (asio::can_query<executor, asio::execution::context_t>::value)
        {
            asio::execution_context const& context
                = asio::query(work_.get_executor(), asio::execution::context);
            return std::any_of(loops_.begin(), loops_.end(),
                [&](event_loop_service* loop) { return &loop->context() == &context; });
        }
        else
            return false;
    }

    void context_closes(asio::execution_context&) noexcept override {}

    void context_ended(asio::execution_context& context) noexcept override
    {
        std::lock_guard const lock(*mutex_);
        std::erase_if(loops_, [&](auto* loop) { return &loop->context() == &context; });
        changed_.notify_one();
    }

    void context_destroyed(asio::execution_context& context) noexcept override
    {
        context_ended(context);
        std::unique_lock lock(*mutex_);
        std::thread thread = std::move(thread_);
        lock.unlock();
        if (thread.get_id() == std::this_thread::get_id())
            thread.detach(); // the handler was the loop's last owner
        else if (thread.joinable())
            thread.join();
    }

    void wait() noexcept
    {
        boost::system::error_code error;
        {
            std::unique_lock lock(*mutex_);
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
        }
        // Work until the post is done, or the executor's context might be gone by then. But a loop
        // that has ended destroys the handler, which may be the last owner of the loop.
        if (own_)
            work_.reset();
        auto const work = std::move(work_);
        // Never inline: the handler may destroy the loop, which waits for this thread.
        executor const where = work.get_executor();
        asio::post(asio::bind_executor(where, asio::append(std::move(handler_), error)));
    }

    time_point const deadline_;

    // Guards the next five. Shared, for a loop that finds this object gone locks it nevertheless.
    std::shared_ptr<std::shared_mutex> const mutex_ = std::make_shared<std::shared_mutex>();
    std::condition_variable_any changed_;
    std::vector<event_loop_service*> loops_; // that have not ended
    bool cancelled_ = false;
    std::thread thread_; // until one joins it

    // Of the thread that waits, once that was started.
    asio::executor_work_guard<executor> work_;
    bool const own_;
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
