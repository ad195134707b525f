// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVER_CONNECTION_LIMITER_HPP
#define ASIO_EWYK_DETAIL_SERVER_CONNECTION_LIMITER_HPP

#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/loop/context_watch.hpp>
#include <asio_ewyk/detail/loop/contexts.hpp>
#include <asio_ewyk/detail/server/accept_rate.hpp>
#include <asio_ewyk/detail/server/open_connection.hpp>
#include <asio_ewyk/detail/server/worker_list.hpp>
#include <asio_ewyk/detail/task/operation_memory.hpp>
#include <asio_ewyk/server/serve_options.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

class connection_limiter;
class permit;

// Accepts connections. It also waits for a permit, for the end of a pause, or for that of the
// sessions. A handler of its context owns it.
class listener_base : public std::enable_shared_from_this<listener_base>
{
public:
    listener_base(listener_base const&) = delete;
    listener_base& operator=(listener_base const&) = delete;

    asio::any_io_executor const& executor() const noexcept { return executor_; }

    // The executor's; the memory is for the operation that it waits for.
    asio::steady_timer& timer() noexcept { return timer_; }
    operation_memory& memory() noexcept { return memory_; }

    // With a loop, the wait for the timer that follows needs no more memory than this.
    void set_timer(time_point end)
    {
        timer_.expires_at(end);
        if (in_loop_)
            timer_.async_wait(asio::bind_allocator(timer_memory_.get(),
                [self = shared_from_this()](boost::system::error_code) {}));
    }

protected:
    listener_base(std::shared_ptr<connection_limiter> all, asio::any_io_executor executor);
    ~listener_base();

    std::shared_ptr<connection_limiter> all_;

private:
    friend connection_limiter;

    // Both on the executor: it is to stop waiting for clients; or to stop accepting them.
    virtual void stop_waiting() noexcept = 0;
    virtual void close() noexcept = 0;

    void poke() noexcept;

    asio::execution_context& context() const noexcept
    {
        return asio::query(executor_, asio::execution::context);
    }

    asio::any_io_executor const executor_;
    asio::steady_timer timer_;
    bool const in_loop_; // has one thread, and may be waited for without memory
    operation_memory memory_;
    operation_memory timer_memory_; // of a wait that makes Asio keep room for the timer
    bool wants_place_ = false; // guarded by the connection limiter's mutex
};

// What listeners share with the sessions that they began: how many there are, and whether there are
// to be more.
//
// Sessions and listeners may outlive each other: either context may be destroyed first. So
// neither side holds a context of the other, except while it cannot go away: listeners are
// taken from the list, under the mutex, before their context is destroyed, and workers are used
// under `workers_mutex_`, which is locked before theirs are destroyed.
class connection_limiter : public std::enable_shared_from_this<connection_limiter>,
                           private context_watcher
{
public:
    explicit connection_limiter(serve_options options)
        : options_(std::move(options))
        , figures_(options_.control.figures_)
        , workers_(figures_)
        , rate_(options_.max_accept_rate)
    {
        if (options_.back_off <= options_.back_off.zero())
            throw std::invalid_argument("back_off must be greater than 0");
        if (options_.drain < options_.drain.zero())
            throw std::invalid_argument("drain must be at least 0");
    }

    serve_options const& options() const noexcept { return options_; }
    std::shared_ptr<serve_figures> const& figures() const noexcept { return figures_; }

    // Before it begins: the contexts of the listeners, and of the workers.
    void watch_boss(asio::execution_context& context)
    {
        if (!home_)
            home_ = &context;
        watch(context);
    }
    void add_worker(asio::execution_context& context) { workers_.add(context); }
    void watch_worker(asio::execution_context& context) { watch(context); }

    // Takes a permit. If there is none, the listener that asks is poked when there is one again.
    bool enter(listener_base& asks) noexcept
    {
        std::lock_guard const lock(mutex_);
        auto const most = figures_->max_connections.instead_of(options_.max_connections);
        bool const full = most != 0 && going_on() >= most;
        asks.wants_place_ = full;
        live_ += !full;
        return !full;
    }

    // Whether the rate allows another connection, which counts then.
    bool take_turn() noexcept
    {
        std::lock_guard const lock(mutex_);
        rate_.set(figures_->max_accept_rate.instead_of(options_.max_accept_rate));
        return !rate_.limits() || rate_.take(std::chrono::steady_clock::now());
    }

    std::chrono::nanoseconds time_to_turn() const noexcept
    {
        auto const now = std::chrono::steady_clock::now();
        std::lock_guard const lock(mutex_);
        return rate_.next(now) - now;
    }

    // The worker for a connection, which would be the next one's.
    asio::execution_context* choose_worker(asio::execution_context& next) noexcept
    {
        std::lock_guard const lock(mutex_);
        return workers_.choose(next);
    }

    bool is_gone(asio::execution_context& worker) noexcept
    {
        std::lock_guard const lock(mutex_);
        return workers_.closes(worker);
    }

    // The time to drain is over.
    void shut_connections_down() noexcept
    {
        // Under the lock: it waits for nothing.
        std::lock_guard const lock(mutex_);
        for (open_connection const& c : connections_)
            c.socket.shut_down(spare_);
    }

    // Whether there is a session on that loop to which this was not emitted.
    bool may_cancel(asio::execution_context& loop, asio::cancellation_type type) const noexcept
    {
        std::lock_guard const lock(mutex_);
        return std::any_of(connections_.begin(), connections_.end(),
            [&](open_connection const& c) { return c.is_on(loop) && !c.emitted(type); });
    }

    // Soon, by the loop's thread. By an executor that never refuses: one loop that is full must not
    // keep it from the others.
    void cancel_on_loop(asio::execution_context& loop, asio::cancellation_type type) noexcept
    try
    {
        asio::post(asio::use_service<event_loop_service>(loop).context().get_executor(),
            [self = shared_from_this(), &loop, type] { self->cancel_sessions(loop, type); });
    }
    catch (...)
    {
        // No memory; it is tried again.
    }

    // Emits to the sessions on that loop, by its thread; to each once.
    void cancel_sessions(asio::execution_context& loop, asio::cancellation_type type)
    {
        // Collected first: what is emitted may end any of them.
        std::vector<std::shared_ptr<asio::cancellation_signal>> told;
        {
            std::lock_guard const lock(mutex_);
            told.reserve(connections_.size());
            for (open_connection& c : connections_)
                if (c.is_on(loop) && !c.emitted(type))
                {
                    c.told |= type;
                    told.push_back(c.signal);
                }
        }
        for (auto const& signal : told)
            signal->emit(type);
    }

    // Stops all listeners except `self`, which knows; the first failure counts.
    void stop(std::exception_ptr failure = nullptr, listener_base const* self = nullptr) noexcept
    {
        std::lock_guard const lock(mutex_);
        if (failure && !failure_)
            failure_ = std::move(failure);
        stop_locked(self);
    }

    bool stopping() const noexcept
    {
        std::lock_guard const lock(mutex_);
        return stopping_;
    }

    // Whether all sessions have ended, or cannot run any more, and no other listener accepts.
    bool finished() const noexcept
    {
        std::lock_guard const lock(mutex_);
        return going_on() == 0 && listeners_.size() <= 1;
    }

    bool sessions_are_over() const noexcept
    {
        std::lock_guard const lock(mutex_);
        return live_ == 0;
    }

    std::exception_ptr failure() const noexcept
    {
        std::lock_guard const lock(mutex_);
        return failure_;
    }

    // Calls `f`, which uses the workers, unless they are going away.
    template <class F>
    void with_workers(F f)
    {
        std::shared_lock const lock(*workers_mutex_);
        if (workers_open_)
            f();
    }

private:
    friend listener_base;
    friend permit;

    void watch(asio::execution_context& context)
    {
        asio::use_service<context_watch>(context).add(
            std::shared_ptr<context_watcher>(shared_from_this(), this), workers_mutex_);
        // It may have ended before: then it told no watcher, or will tell again.
        if (has_ended(context))
            context_ended(context);
        else if (is_closing(context))
            context_closes(context);
    }

    void stop_locked(listener_base const* self = nullptr) noexcept
    {
        stopping_ = true;
        for (listener_base* l : listeners_)
            if (l != self)
                l->poke();
    }

    // There is a permit again, or an end.
    void poke_waiting() noexcept
    {
        for (listener_base* l : listeners_)
            if (std::exchange(l->wants_place_, false) || (stopping_ && going_on() == 0))
                l->poke();
    }

    // A worker has no more connections. Without workers there is no service, and without the loop
    // on which the operation completes it must do so now.
    void context_closes(asio::execution_context& context) noexcept override
    {
        if (!workers_.has(context))
            return;
        {
            std::lock_guard const lock(mutex_);
            workers_.close(context);
            if (workers_.all_close() || &context == home_)
                stop_locked();
        }
        tell_sessions(context);
    }

    // A listener whose context has ended counts as gone, as it would never be told. So does what
    // a worker has, which would never run it.
    void context_ended(asio::execution_context& context) noexcept override
    {
        while (auto const gone = take_listener_of(context))
            gone->close();
        std::lock_guard const lock(mutex_);
        if (workers_.has(context))
        {
            workers_.end(context);
            // Otherwise their clients would wait for the loop's destruction.
            for (open_connection const& c : connections_)
                if (c.worker == &context)
                    c.socket.shut_down(spare_);
            stopping_ = stopping_ || workers_.all_close() || &context == home_;
            poke_waiting();
        }
        if (stopping_)
            stop_locked();
    }

    // One that is about to be destroyed leaves by itself. One at a time: a list would need memory.
    std::shared_ptr<listener_base> take_listener_of(asio::execution_context& context) noexcept
    {
        std::lock_guard const lock(mutex_);
        for (listener_base* l : listeners_)
            if (&l->context() == &context)
                if (auto alive = l->weak_from_this().lock())
                {
                    std::erase(listeners_, l);
                    return alive;
                }
        return nullptr;
    }

    void context_destroyed(asio::execution_context& context) noexcept override
    {
        {
            std::lock_guard const lock(mutex_);
            std::erase_if(
                listeners_, [&](listener_base* l) { return &l->context() == &context; });
            stop_locked();
        }
        if (workers_.has(context))
        {
            std::lock_guard const lock(*workers_mutex_);
            workers_open_ = false;
        }
    }

    // Their loop is being shut down. What is submitted now is still run.
    void tell_sessions(asio::execution_context& loop) noexcept
    {
        if (options_.cancel_sessions)
            cancel_on_loop(loop, asio::cancellation_type::total);
    }

    // Sessions, except for those in workers that have ended.
    std::size_t going_on() const noexcept { return live_ - workers_.in_ended_ones(); }

    serve_options const options_;
    std::shared_ptr<serve_figures> const figures_;
    asio::execution_context* home_ = nullptr; // of the first listener; only compared

    std::mutex mutable mutex_; // guards what follows, down to the failure
    std::vector<listener_base*> listeners_;
    std::list<open_connection> connections_;
    spare_descriptor spare_;
    worker_list workers_;
    std::size_t live_ = 0; // sessions, also those about to begin
    accept_rate rate_;
    bool stopping_ = false;
    std::exception_ptr failure_; // the first one

    // Shared: uses the workers; exclusive: destroys one, perhaps when this is gone.
    std::shared_ptr<std::shared_mutex> const workers_mutex_ = std::make_shared<std::shared_mutex>();
    bool workers_open_ = true;        // guarded by it
};

inline listener_base::listener_base(
    std::shared_ptr<connection_limiter> all, asio::any_io_executor executor)
    : all_(std::move(all))
    , executor_(std::move(executor))
    , timer_(executor_)
    , in_loop_(executor_.target<asio::io_context::executor_type>() != nullptr)
{
    std::lock_guard const lock(all_->mutex_);
    all_->listeners_.push_back(this);
}

inline listener_base::~listener_base()
{
    std::lock_guard const lock(all_->mutex_);
    std::erase(all_->listeners_, this);
    if (all_->stopping_)
        for (listener_base* l : all_->listeners_)
            l->poke();
}

// Under the connection limiter's mutex. It may be lost for lack of memory: so a listener that waits
// looks now and then, unless it waits for a client.
inline void listener_base::poke() noexcept
try
{
    asio::post(executor_, [weak = weak_from_this()] {
        auto const self = weak.lock();
        if (!self)
            return;
        self->timer_.cancel();
        if (self->all_->stopping())
            self->stop_waiting();
    });
}
catch (...)
{
}

} // namespace asio_ewyk::detail

#endif
