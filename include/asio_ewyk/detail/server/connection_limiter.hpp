// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVER_CONNECTION_LIMITER_HPP
#define ASIO_EWYK_DETAIL_SERVER_CONNECTION_LIMITER_HPP

#include <asio_ewyk/detail/loop/contexts.hpp>
#include <asio_ewyk/detail/loop/loop_watchers.hpp>
#include <asio_ewyk/detail/os/socket_identity.hpp>
#include <asio_ewyk/detail/server/accept_rate.hpp>
#include <asio_ewyk/detail/server/listener.hpp>
#include <asio_ewyk/detail/server/worker_list.hpp>
#include <asio_ewyk/detail/utility/checked_option.hpp>
#include <asio_ewyk/server/serve_options.hpp>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

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

// A place for one connection, for as long as it lives.
using connection_place = std::shared_ptr<open_connection>;

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
        check_option(options_.back_off > options_.back_off.zero(), "serve_options::back_off",
            "more than 0", options_.back_off);
        check_option(options_.drain >= options_.drain.zero(), "serve_options::drain",
            "at least 0", options_.drain);
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
        // The loop may have ended before: then it did not tell this watcher, or will tell it again.
        if (loop.ended())
            loop_ended(context);
        else if (loop.closing())
            loop_closes(context);
    }

    // Before it begins.
    void add(std::shared_ptr<listener> const& l)
    {
        std::lock_guard const lock(mutex_);
        listeners_.push_back(l);
    }

    // A listener other than the first has closed.
    void leave(listener const& l) noexcept
    {
        std::lock_guard const lock(mutex_);
        std::erase_if(listeners_, [&](auto const& w) { return w.lock().get() == &l; });
        if (stopping_)
            stop_locked();
    }

    // Takes a place. If there is none, null: the listener that asks is poked when there is one
    // again. Throws std::bad_alloc.
    connection_place enter(listener& asks)
    {
        std::list<open_connection> one(1);
        std::unique_lock lock(mutex_);
        auto const most = figures_->max_connections.instead_of(options_.max_connections);
        asks.wants_place = most != 0 && going_on() >= most;
        if (asks.wants_place)
            return nullptr;
        connections_.splice(connections_.begin(), one);
        auto const c = connections_.begin();
        lock.unlock();
        return {&*c, [all = shared_from_this(), c](open_connection*) { all->leave(c); }};
    }

    void set_socket(open_connection& c, socket_identity socket) noexcept
    {
        std::lock_guard const lock(mutex_);
        c.socket = socket;
    }

    void set_signal(
        open_connection& c, std::shared_ptr<asio::cancellation_signal> signal) noexcept
    {
        std::lock_guard const lock(mutex_);
        c.signal = std::move(signal);
        if (stopping_ || c.on->closes)
            cancel(c, asio::cancellation_type::total);
    }

    // Its session will run there, and not where it was to run before.
    void assign(open_connection& c, std::size_t worker) noexcept
    {
        std::lock_guard const lock(mutex_);
        if (c.on)
            workers_.count(*c.on, -1);
        c.on = &workers_[worker];
        workers_.count(*c.on, 1);
    }

    // 0 if the rate allows another connection, which counts then; else after how long to ask again.
    std::chrono::nanoseconds take_turn() noexcept
    {
        std::lock_guard const lock(mutex_);
        rate_.set(figures_->max_accept_rate.instead_of(options_.max_accept_rate));
        return rate_.take(std::chrono::steady_clock::now());
    }

    // Stops all listeners except `self`, which knows; the first failure counts.
    void stop(std::exception_ptr failure = nullptr, listener const* self = nullptr) noexcept
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
    bool finished() noexcept
    {
        std::lock_guard const lock(mutex_);
        std::erase_if(listeners_, [](auto const& w) { return w.expired(); });
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
    void count_passed_over() noexcept
    {
        figures_->change([](serve_metrics& m) { ++m.passed_over; });
    }

    void leave(std::list<open_connection>::iterator c) noexcept
    {
        std::list<open_connection> gone; // outlives the lock
        std::lock_guard const lock(mutex_);
        if (c->on)
            workers_.count(*c->on, -1);
        gone.splice(gone.begin(), connections_, c);
        places_change();
    }

    void stop_locked(listener const* self = nullptr) noexcept
    {
        stopping_ = true;
        poke([self](listener& l) { return &l != self; });
    }

    // There is a place again, or an end.
    void places_change() noexcept
    {
        bool const all = stopping_ && going_on() == 0;
        poke([all](listener& l) { return std::exchange(l.wants_place, false) || all; });
    }

    // Ends whatever such listeners wait for, soon. That may fail for lack of memory: so one that
    // waits for something other than a client looks now and then.
    template <class Predicate>
    void poke(Predicate is_meant) noexcept
    {
        for (auto const& w : listeners_)
            try
            {
                if (auto const l = w.lock(); l && is_meant(*l))
                    asio::post(l->executor, [l, closes = stopping_] {
                        l->timer.cancel();
                        if (closes)
                            l->close();
                    });
            }
            catch (...)
            {
            }
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
        std::erase_if(listeners_, [&](auto const& w) {
            auto const l = w.lock();
            if (!l || &l->context() != &loop)
                return false;
            l->close();
            return true;
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
    std::vector<std::weak_ptr<listener>> listeners_;
    std::list<open_connection> connections_;
    spare_descriptor spare_;
    worker_list workers_;
    accept_rate rate_;
    bool stopping_ = false;
    std::exception_ptr failure_; // the first one
};

} // namespace asio_ewyk::detail

#endif
