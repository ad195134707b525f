// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_SHUTDOWN_WAIT_HPP
#define ASIO_EWYK_DETAIL_LOOP_SHUTDOWN_WAIT_HPP

#include <asio_ewyk/detail/loop/event_loop_service.hpp>
#include <asio_ewyk/detail/loop/loop_uses.hpp>
#include <asio_ewyk/detail/loop/loop_watchers.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/start_thread.hpp>

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
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
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

// Waits for the end of event loops. A loop that ends tells this object, and waits until it is used
// no more here; so the object may outlive the loops. Nothing is owned here: a loop's thread may
// have the last reference.
class loops_end final : public loop_watcher
{
public:
    loops_end(std::vector<event_loop_service*> loops, time_point deadline)
        : deadline_(deadline)
        , loops_(std::move(loops))
    {
    }

    // Has the loops tell of their end. Throws std::bad_alloc.
    static void watch(std::shared_ptr<loops_end> const& self)
    {
        auto const loops = self->loops_; // from now on they change the list
        for (event_loop_service* loop : loops)
        {
            loop->add_watcher(self);
            // The loop may have told its watchers before.
            if (loop->terminated())
                self->loop_ended(loop->context());
        }
    }

    // Ends wait() early. Any thread.
    void cancel()
    {
        std::lock_guard const lock(mutex_);
        cancelled_ = true;
        changed_.notify_one();
    }

    // Until all have ended, or the time is over. `own`, which may be null, is a loop that has to be
    // there afterwards: sets it to null, and waits for no other one, if it has ended.
    boost::system::error_code wait(event_loop_service*& own)
    {
        std::unique_lock lock(mutex_);
        auto const own_has_ended = [&] {
            return own && std::find(loops_.begin(), loops_.end(), own) == loops_.end();
        };
        bool const in_time = changed_.wait_until(lock, deadline_,
            [&] { return loops_.empty() || cancelled_ || own_has_ended(); });
        // A loop that ends meanwhile waits for the lock.
        bool all = true;
        if (!in_time)
            for (event_loop_service* loop : loops_)
                all = loop->wait_for_end(deadline_) && all;
        if (own_has_ended())
            own = nullptr;
        if (!all)
            return asio::error::timed_out;
        if (in_time && !loops_.empty())
            return asio::error::operation_aborted;
        return {};
    }

private:
    void loop_closes(asio::execution_context&) noexcept override {}

    void loop_ended(asio::execution_context& loop) noexcept override
    {
        std::lock_guard const lock(mutex_);
        std::erase_if(loops_, [&](auto* l) { return &l->context() == &loop; });
        changed_.notify_one();
    }

    time_point const deadline_;
    std::mutex mutex_; // guards the rest
    std::condition_variable changed_;
    std::vector<event_loop_service*> loops_; // that have not ended
    bool cancelled_ = false;
};

// What completes such a wait, and keeps its executor busy meanwhile. A thread has it: a loop that
// is stuck cannot tell the time.
template <class Handler>
class shutdown_completion
{
public:
    shutdown_completion(Handler&& handler, std::vector<event_loop_service*> const& loops)
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
            asio::post(work.get_executor(), function{handler_, error});
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

    struct function
    {
        using allocator_type = asio::associated_allocator_t<Handler>;
        allocator_type get_allocator() const noexcept
        {
            return asio::get_associated_allocator(*handler);
        }

        void operator()()
        {
            Handler mine(std::move(*handler));
            handler.reset();
            std::move(mine)(error);
        }

        std::shared_ptr<Handler> handler;
        boost::system::error_code error;
    };

    static std::vector<loop_uses::one> uses_of(std::vector<event_loop_service*> const& loops)
    {
        std::vector<loop_uses::one> all;
        for (event_loop_service* loop : loops)
            all.emplace_back(loop->uses());
        return all;
    }

    // The loop that the handler's executor is of, null if that is none of them.
    event_loop_service* own_loop(std::vector<event_loop_service*> const& loops) const
    {
        if constexpr (asio::can_query<executor, asio::execution::context_t>::value)
        {
            asio::execution_context const& context
                = asio::query(work_.get_executor(), asio::execution::context);
            for (event_loop_service* loop : loops)
                if (&loop->context() == &context)
                    return loop;
        }
        return nullptr;
    }

    asio::executor_work_guard<executor> work_;
    event_loop_service* own_;
    // Of all loops, longer than the handler: so this is over before what follows their end, such as
    // that of the program, which destroys the context of the system's executor.
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
        loops_end::watch(end);
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
