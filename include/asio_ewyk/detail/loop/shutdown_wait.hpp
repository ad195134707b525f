// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_SHUTDOWN_WAIT_HPP
#define ASIO_EWYK_DETAIL_LOOP_SHUTDOWN_WAIT_HPP

#include <asio_ewyk/detail/loop/event_loop_service.hpp>
#include <asio_ewyk/detail/loop/loop_uses.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/start_thread.hpp>
#include <asio_ewyk/detail/utility/at_exit.hpp>

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/system/error_code.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

// Waits for the end of event loops, which have to be there until wait() returns.
class loops_end
{
public:
    loops_end(std::vector<event_loop_service*> loops, time_point deadline)
        : deadline_(deadline)
        , loops_(std::move(loops))
    {
    }

    // Ends wait() early. Any thread.
    void cancel()
    {
        cancelled_.store(true);
        std::lock_guard const lock(mutex_);
        for (event_loop_service* loop : loops_)
            loop->wake_waiting();
    }

    // By one thread: until all have ended, or the time is over. `own`, which may be null, is a loop
    // that has to be there afterwards, and the first one: sets it to null, and waits for no other
    // one, if it has ended.
    boost::system::error_code wait(event_loop_service*& own)
    {
        at_exit const over([this] {
            std::lock_guard const lock(mutex_);
            loops_.clear();
        });
        bool all = true;
        for (event_loop_service* loop : loops_)
        {
            bool const ended = loop->wait_for_end(deadline_, &cancelled_);
            if (ended && loop == own)
            {
                own = nullptr;
                return {};
            }
            all = all && ended;
        }
        if (all)
            return {};
        return cancelled_.load() ? asio::error::operation_aborted : asio::error::timed_out;
    }

private:
    time_point const deadline_;
    std::atomic<bool> cancelled_{false};
    std::mutex mutex_;
    std::vector<event_loop_service*> loops_; // none after wait(), which writes it under mutex_
};

// What completes such a wait, and keeps its executor busy meanwhile. A thread has it: a loop that
// is stuck cannot tell the time.
template <class Handler>
class shutdown_completion
{
public:
    // A loop that the handler's executor is of becomes the first one of `loops`.
    shutdown_completion(Handler&& handler, std::vector<event_loop_service*>& loops)
        : work_(asio::get_associated_executor(handler, asio::system_executor()))
        , own_(own_loop(loops))
        , uses_(uses_of(loops))
        , handler_(std::make_shared<Handler>(std::move(handler)))
    {
        if (own_)
            work_.reset(); // the loop could not end
    }

    shutdown_completion(shutdown_completion&&) noexcept = default;
    shutdown_completion& operator=(shutdown_completion&&) = delete;
    ~shutdown_completion() { destroy_handler(); }

    void operator()(loops_end& loops) noexcept
    {
        bool const has_own = own_;
        boost::system::error_code const error = loops.wait(own_);
        // A loop that has ended would destroy the function, or keep it. Work until the post is
        // done, or the executor's context might be gone by then. Never inline: the handler may
        // destroy the loop.
        if (!has_own || own_)
        {
            auto const work = std::move(work_);
            auto const allocator = asio::get_associated_allocator(*handler_);
            asio::post(work.get_executor(),
                asio::bind_allocator(allocator, [handler = handler_, error]() mutable {
                    Handler mine(std::move(*handler));
                    handler.reset();
                    std::move(mine)(error);
                }));
        }
        destroy_handler();
    }

private:
    // The handler may be the last owner of the loops, whose destructors would wait for these uses.
    void destroy_handler() noexcept
    {
        loop_uses::mine const mine(uses_);
        handler_.reset();
    }

    // If the handler has none, the one that Asio fell back to before Boost 1.90. Its later fallback
    // accepts no post().
    using executor = asio::associated_executor_t<Handler, asio::system_executor>;

    static std::vector<loop_uses::one> uses_of(std::vector<event_loop_service*> const& loops)
    {
        std::vector<loop_uses::one> all;
        for (event_loop_service* loop : loops)
            all.emplace_back(loop->uses());
        return all;
    }

    // Null if the handler's executor is of none of them.
    event_loop_service* own_loop(std::vector<event_loop_service*>& loops) const
    {
        if constexpr (asio::can_query<executor, asio::execution::context_t>::value)
        {
            asio::execution_context const& context
                = asio::query(work_.get_executor(), asio::execution::context);
            for (event_loop_service*& loop : loops)
                if (&loop->context() == &context)
                {
                    std::swap(loop, loops.front());
                    return loops.front();
                }
        }
        return nullptr;
    }

    asio::executor_work_guard<executor> work_;
    event_loop_service* own_;
    // Of all loops, so that they are there while this waits; longer than the handler: so this is
    // over before what follows their end, such as that of the program, which destroys the context
    // of the system's executor.
    std::vector<loop_uses::one> uses_;
    std::shared_ptr<Handler> handler_;
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
        shutdown_completion<Handler> completion(std::move(handler), loops);
        auto const end = std::make_shared<loops_end>(std::move(loops), deadline);
        // Before the handler can be called: it may use the slot again.
        if (slot.is_connected())
            slot.assign([weak = std::weak_ptr(end)](asio::cancellation_type type) {
                // Not total, which must have no effect: the shutdown has begun.
                using types = asio::cancellation_type;
                if ((type & (types::terminal | types::partial)) != types::none)
                    if (auto const e = weak.lock())
                        e->cancel();
            });
        start_thread([end, completion = std::move(completion)]() mutable {
            completion(*end);
        }).detach();
    };
    return asio::async_initiate<CompletionToken, void(boost::system::error_code)>(
        initiate, token, std::move(all));
}

} // namespace asio_ewyk::detail

#endif
