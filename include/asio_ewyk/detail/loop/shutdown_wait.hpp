// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_SHUTDOWN_WAIT_HPP
#define ASIO_EWYK_DETAIL_LOOP_SHUTDOWN_WAIT_HPP

#include <asio_ewyk/detail/loop/event_loop_service.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>

#include <boost/asio/append.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
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
class shutdown_wait
{
public:
    shutdown_wait(Handler&& handler, std::vector<event_loop_service*> const& loops)
        : handler_(std::move(handler))
        , work_(asio::get_associated_executor(handler_, asio::system_executor()))
        , own_(belongs_to(loops))
    {
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

    // Whether the handler's executor is of one of them.
    bool belongs_to(std::vector<event_loop_service*> const& loops) const
    {
        if constexpr (asio::can_query<executor, asio::execution::context_t>::value)
        {
            asio::execution_context const& context
                = asio::query(work_.get_executor(), asio::execution::context);
            return std::any_of(loops.begin(), loops.end(),
                [&](event_loop_service* loop) { return &loop->context() == &context; });
        }
        else
            return false;
    }

    // Both belong to the thread that has set completed_.
    Handler handler_;
    asio::executor_work_guard<executor> work_;
    bool const own_;

    // Set by the thread that waits or by one that cancels. Sequentially consistent, but it
    // publishes nothing: both have the object from the thread that made it.
    std::atomic<bool> completed_{false};
};

// Shuts the loops down, and calls handler(error_code) when all have ended or the time is over.
//
// A thread of its own waits for that: no thread of the loops notices that a handler of theirs is
// stuck, and perhaps no thread runs the handler's executor before the end. It costs something only
// while a shutdown is under way.
template <class Handler>
void begin_shutdown(std::vector<event_loop_service*> loops, std::chrono::nanoseconds quiet_period,
    std::chrono::nanoseconds timeout, Handler handler)
{
    time_point const deadline = after(timeout);
    auto slot = asio::get_associated_cancellation_slot(handler);
    auto const wait = std::make_shared<shutdown_wait<Handler>>(std::move(handler), loops);
    for (event_loop_service* loop : loops)
        loop->request_shutdown(quiet_period, deadline);
    if (std::all_of(loops.begin(), loops.end(), [](auto* loop) { return loop->terminated(); }))
        return wait->complete({});
    // Before the handler can be called: it may use the slot again.
    if (slot.is_connected())
        slot.assign([weak = std::weak_ptr(wait)](asio::cancellation_type type) {
            // Not total, which must have no effect: the shutdown has begun.
            using types = asio::cancellation_type;
            auto const w = weak.lock();
            if (w && (type & (types::terminal | types::partial)) != types::none)
                w->complete(asio::error::operation_aborted);
        });
    loops.front()->wait_in_background([wait, loops, deadline] {
        bool all = true;
        for (event_loop_service* loop : loops)
            all = loop->wait_for_end(deadline) && all;
        wait->complete(all ? boost::system::error_code() : asio::error::timed_out);
    });
}

} // namespace asio_ewyk::detail

#endif
