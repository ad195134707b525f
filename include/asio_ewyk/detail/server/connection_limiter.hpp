// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVER_CONNECTION_LIMITER_HPP
#define ASIO_EWYK_DETAIL_SERVER_CONNECTION_LIMITER_HPP

#include <asio_ewyk/detail/loop/contexts.hpp>
#include <asio_ewyk/detail/loop/loop_watchers.hpp>
#include <asio_ewyk/detail/server/accept_rate.hpp>
#include <asio_ewyk/detail/server/socket_identity.hpp>
#include <asio_ewyk/detail/server/worker_list.hpp>
#include <asio_ewyk/server/serve_options.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

class connection_limiter;

// A connection that has its session, or is on its way there. Guarded by the connection limiter's
// mutex.
struct open_connection
{
    worker* on = nullptr; // null until a worker is to have it
    socket_identity socket = {};
    // Emitted on the loop of the session only; null where the session is not to be cancelled.
    std::shared_ptr<asio::cancellation_signal> signal = {};
    asio::cancellation_type told = asio::cancellation_type::none;
};

// A place for one connection, for as long as it lives; and what is known of the connection.
class permit
{
public:
    permit(std::shared_ptr<connection_limiter> all,
        std::list<open_connection>::iterator connection) noexcept
        : all_(std::move(all))
        , connection_(connection)
    {
    }

    permit(permit&&) noexcept = default;
    permit& operator=(permit&&) = delete;
    ~permit();

    void set_socket(socket_identity socket) noexcept;
    void set_signal(std::shared_ptr<asio::cancellation_signal> signal) noexcept;

    // Its session will run there, and not where it was to run before.
    void assign(std::size_t worker) noexcept;

private:
    std::shared_ptr<connection_limiter> all_;
    std::list<open_connection>::iterator connection_;
};

// Accepts connections. It also waits for a place, for the end of a pause, or for that of the
// sessions. A coroutine on its executor owns it.
class listener_base : public std::enable_shared_from_this<listener_base>
{
public:
    listener_base(listener_base const&) = delete;
    listener_base& operator=(listener_base const&) = delete;

    asio::any_io_executor const& executor() const noexcept { return executor_; }
    asio::execution_context& context() const noexcept
    {
        return asio::query(executor_, asio::execution::context);
    }

    // For what it waits for beside clients; on the executor.
    asio::steady_timer& timer() noexcept { return timer_; }

protected:
    listener_base(std::shared_ptr<connection_limiter> all, asio::any_io_executor executor)
        : all_(std::move(all))
        , executor_(std::move(executor))
        , timer_(executor_)
    {
    }

    ~listener_base() = default;

    // From its beginning until before it is destroyed: others may call it.
    void enter_list();
    void leave_list() noexcept;

private:
    friend connection_limiter;

    // Accepts no more clients, and waits for none. On the executor, or when that runs nothing.
    virtual void close() noexcept = 0;

    // Ends whatever it waits for, soon.
    void poke() noexcept;

    std::shared_ptr<connection_limiter> const all_;
    asio::any_io_executor const executor_;
    asio::steady_timer timer_;
    bool wants_place_ = false; // guarded by the connection limiter's mutex
};

// What listeners share with the sessions that they began: how many there are, and whether there are
// to be more.
//
// The contexts outlive the operation. Sessions may outlive it: those in loops that have ended. They
// find no listener in the list then, and use nothing else of a context that is not their own.
class connection_limiter : public std::enable_shared_from_this<connection_limiter>,
                           private loop_watcher
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
    serve_figures& figures() const noexcept { return *figures_; }

    // Before it begins: the context on which it completes, and those whose end it is to see.
    void set_home(asio::execution_context& context) noexcept { home_ = &context; }
    void watch(asio::execution_context& context)
    {
        if (!is_loop(context))
            return;
        auto& loop = asio::use_service<event_loop_service>(context);
        loop.add_watcher(std::shared_ptr<loop_watcher>(shared_from_this(), this));
        // It may have ended before: then it told no watcher, or will tell again.
        if (loop.ended())
            loop_ended(context);
        else if (loop.closing())
            loop_closes(context);
    }

    // Takes a place. If there is none, the listener that asks is poked when there is one again.
    // Throws std::bad_alloc.
    std::optional<permit> enter(listener_base& asks)
    {
        std::list<open_connection> one(1);
        std::lock_guard const lock(mutex_);
        auto const most = figures_->max_connections.instead_of(options_.max_connections);
        asks.wants_place_ = most != 0 && going_on() >= most;
        if (asks.wants_place_)
            return std::nullopt;
        connections_.splice(connections_.begin(), one);
        return permit(shared_from_this(), connections_.begin());
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
        return connections_.empty();
    }

    std::exception_ptr failure() const noexcept
    {
        std::lock_guard const lock(mutex_);
        return failure_;
    }

    // Tells the sessions to end, each once, and ends their connections when they are overdue. To be
    // called now and then: sessions that were on their way begin, and there may be no memory.
    void drain(bool overdue) noexcept
    {
        auto const type
            = overdue ? asio::cancellation_type::terminal : asio::cancellation_type::total;
        std::lock_guard const lock(mutex_);
        for (open_connection& c : connections_)
        {
            if (overdue)
                c.socket.shut_down(spare_);
            cancel(c, type);
        }
    }

protected:
    // The workers by their number.
    void add_worker(asio::execution_context& context) { workers_.add(context); }

    // The one for a connection, which would be the next one's.
    std::size_t choose_worker(asio::execution_context& next) noexcept
    {
        std::lock_guard const lock(mutex_);
        std::size_t const chosen = workers_.choose(next);
        if (workers_[chosen].context != &next)
            count_passed_over();
        return chosen;
    }

    // Whether a worker that another one passed a connection to may have it.
    bool takes_over(std::size_t worker) noexcept
    {
        std::lock_guard const lock(mutex_);
        if (workers_[worker].closes)
            return false;
        count_passed_over();
        return true;
    }

private:
    friend listener_base;
    friend permit;

    void count_passed_over() noexcept
    {
        figures_->change([](serve_metrics& m) { ++m.passed_over; });
    }

    void stop_locked(listener_base const* self = nullptr) noexcept
    {
        stopping_ = true;
        for (listener_base* l : listeners_)
            if (l != self)
                l->poke();
    }

    // There is a place again, or an end.
    void places_change() noexcept
    {
        for (listener_base* l : listeners_)
            if (std::exchange(l->wants_place_, false) || (stopping_ && going_on() == 0))
                l->poke();
    }

    // Emitted by the loop's thread. By an executor that never refuses: one loop that is full must
    // not keep it from the others.
    static void cancel(open_connection& c, asio::cancellation_type type) noexcept
    try
    {
        if (!c.signal || c.on->ended || (c.told & type) == type)
            return;
        asio::post(asio::use_service<event_loop_service>(*c.on->context).context().get_executor(),
            [signal = c.signal, type] { signal->emit(type); });
        c.told |= type;
    }
    catch (...)
    {
        // No memory; it is tried again.
    }

    // A worker gets no more connections, and its sessions are told: what is submitted now is still
    // run. Without workers there is no service, and without the loop on which the operation
    // completes it must do so now.
    void loop_closes(asio::execution_context& loop) noexcept override
    {
        std::lock_guard const lock(mutex_);
        worker* const w = workers_.find(loop);
        if (!w)
            return;
        workers_.close(*w);
        if (workers_.all_close() || &loop == home_)
            stop_locked();
        for (open_connection& c : connections_)
            if (c.on == w)
                cancel(c, asio::cancellation_type::total);
    }

    // Its listeners and sessions count as gone, as nothing would ever run them. The sessions'
    // clients would wait for the loop's destruction.
    void loop_ended(asio::execution_context& loop) noexcept override
    {
        std::lock_guard const lock(mutex_);
        std::erase_if(listeners_, [&](listener_base* l) {
            bool const its = &l->context() == &loop;
            if (its)
                l->close();
            return its;
        });
        if (worker* const w = workers_.find(loop))
        {
            workers_.close(*w);
            w->ended = true;
            for (open_connection const& c : connections_)
                if (c.on == w)
                    c.socket.shut_down(spare_);
            stopping_ = stopping_ || workers_.all_close() || &loop == home_;
        }
        if (stopping_)
            stop_locked();
        places_change();
    }

    // Sessions, except for those in workers that have ended.
    std::size_t going_on() const noexcept { return connections_.size() - workers_.in_ended_ones(); }

    serve_options const options_;
    std::shared_ptr<serve_figures> const figures_;
    asio::execution_context* home_ = nullptr; // only compared

    std::mutex mutable mutex_; // guards what follows
    std::vector<listener_base*> listeners_;
    std::list<open_connection> connections_;
    spare_descriptor spare_;
    worker_list workers_;
    accept_rate rate_;
    bool stopping_ = false;
    std::exception_ptr failure_; // the first one
};

inline permit::~permit()
{
    if (!all_)
        return;
    std::list<open_connection> gone; // outlives the lock
    std::lock_guard const lock(all_->mutex_);
    if (connection_->on)
        all_->workers_.count(*connection_->on, -1);
    gone.splice(gone.begin(), all_->connections_, connection_);
    all_->places_change();
}

inline void permit::set_socket(socket_identity socket) noexcept
{
    std::lock_guard const lock(all_->mutex_);
    connection_->socket = socket;
}

inline void permit::set_signal(std::shared_ptr<asio::cancellation_signal> signal) noexcept
{
    std::lock_guard const lock(all_->mutex_);
    connection_->signal = std::move(signal);
    if (all_->stopping_ || connection_->on->closes)
        connection_limiter::cancel(*connection_, asio::cancellation_type::total);
}

inline void permit::assign(std::size_t worker) noexcept
{
    std::lock_guard const lock(all_->mutex_);
    if (connection_->on)
        all_->workers_.count(*connection_->on, -1);
    connection_->on = &all_->workers_[worker];
    all_->workers_.count(*connection_->on, 1);
}

inline void listener_base::enter_list()
{
    std::lock_guard const lock(all_->mutex_);
    all_->listeners_.push_back(this);
}

inline void listener_base::leave_list() noexcept
{
    std::lock_guard const lock(all_->mutex_);
    std::erase(all_->listeners_, this);
    if (all_->stopping_)
        all_->stop_locked();
}

// Under the connection limiter's mutex. It may be lost for lack of memory: so a listener that waits
// for something other than a client looks now and then.
inline void listener_base::poke() noexcept
try
{
    asio::post(executor_, [weak = weak_from_this()] {
        auto const self = weak.lock();
        if (!self)
            return;
        self->timer_.cancel();
        if (self->all_->stopping())
            self->close();
    });
}
catch (...)
{
}

} // namespace asio_ewyk::detail

#endif
