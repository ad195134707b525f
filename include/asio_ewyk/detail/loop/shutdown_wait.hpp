// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_SHUTDOWN_WAIT_HPP
#define ASIO_EWYK_DETAIL_LOOP_SHUTDOWN_WAIT_HPP

#include <asio_ewyk/detail/loop/end_waits.hpp>
#include <asio_ewyk/detail/loop/event_loop_service.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>

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
#include <atomic>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

// A completion handler that waits for the end of event loops, and keeps its executor busy
// meanwhile.
template <class Handler>
class shutdown_wait final : public end_wait
{
public:
    shutdown_wait(Handler&& handler, std::vector<event_loop_service*> loops, time_point until)
        : end_wait(until)
        , loops_(std::move(loops))
        , handler_(std::move(handler))
        , work_(asio::get_associated_executor(handler_, asio::system_executor()))
        , own_(belongs_to_them())
    {
    }

    bool over() const noexcept override
    {
        return completed_.load()
            || std::all_of(loops_.begin(), loops_.end(), [](auto* l) { return l->terminated(); });
    }

    void end() noexcept override
    {
        if (completed_.load()) // was cancelled
            return;
        bool all = true;
        for (event_loop_service* loop : loops_)
            all = loop->wait_for_end(deadline) && all;
        complete(all ? boost::system::error_code() : asio::error::timed_out);
    }

    // Once; later calls have no effect. Any thread.
    void complete(boost::system::error_code ec) noexcept
    {
        if (completed_.exchange(true))
            return;
        // Work until the post is done, or the executor's context might be gone by then. But a loop
        // that has ended destroys the handler, which may be the last owner of the loop.
        if (own_)
            work_.reset();
        auto const work = std::move(work_);
        // Never inline: the handler may destroy the loop, which waits for this thread.
        executor const where = work.get_executor();
        asio::post(asio::bind_executor(where, asio::append(std::move(handler_), ec)));
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

    std::vector<event_loop_service*> const loops_;

    // Both belong to the thread that has set completed_.
    Handler handler_;
    asio::executor_work_guard<executor> work_;
    bool const own_;

    // Set by the thread that waits or by one that cancels. Sequentially consistent, but it
    // publishes nothing: both have the object from the thread that made it.
    std::atomic<bool> completed_{false};
};

// Shuts the loops down, and completes when all have ended or the time is over.
template <class CompletionToken>
auto async_shutdown(std::vector<event_loop_service*> all, std::chrono::nanoseconds quiet_period,
    std::chrono::nanoseconds timeout, CompletionToken&& token)
{
    auto const initiate = [quiet_period, timeout]<class Handler>(
                              Handler handler, std::vector<event_loop_service*> loops) {
        time_point const deadline = after(timeout);
        std::shared_ptr<end_waits> const waits = loops.front()->waits();
        auto slot = asio::get_associated_cancellation_slot(handler);
        auto const wait
            = std::make_shared<shutdown_wait<Handler>>(std::move(handler), loops, deadline);
        for (event_loop_service* loop : loops)
            loop->request_shutdown(quiet_period, deadline);
        if (wait->over())
            return wait->complete({});
        // Before the handler can be called: it may use the slot again.
        if (slot.is_connected())
            slot.assign([waits, weak = std::weak_ptr(wait)](asio::cancellation_type type) {
                // Not total, which must have no effect: the shutdown has begun.
                using types = asio::cancellation_type;
                auto const w = weak.lock();
                if (!w || (type & (types::terminal | types::partial)) == types::none)
                    return;
                // The handler may use the slot again, and by that destroy this function.
                auto const still = waits;
                w->complete(asio::error::operation_aborted);
                still->look();
            });
        waits->add(wait);
    };
    return asio::async_initiate<CompletionToken, void(boost::system::error_code)>(
        initiate, token, std::move(all));
}

} // namespace asio_ewyk::detail

#endif
