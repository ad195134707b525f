// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVER_SERVING_HPP
#define ASIO_EWYK_DETAIL_SERVER_SERVING_HPP

#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/loop/contexts.hpp>
#include <asio_ewyk/detail/loop/loop_watchers.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/socket_identity.hpp>
#include <asio_ewyk/detail/server/accept_rate.hpp>
#include <asio_ewyk/detail/server/listener.hpp>
#include <asio_ewyk/detail/utility/at_exit.hpp>
#include <asio_ewyk/detail/utility/checked_option.hpp>
#include <asio_ewyk/server/serve_options.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/errc.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// A context that serves. Guarded by the mutex of the operation.
struct worker
{
    asio::execution_context* context;
    std::size_t live = 0; // its sessions, also those on their way to it
    bool closes = false;  // it is being shut down, and is to have no more
    bool ended = false;   // it runs nothing any more
};

// A connection that has its session, or is on its way there. Guarded by the mutex of the operation.
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

// What a serve() is and does, except for the sessions; so that it is compiled once for all kinds of
// them.
//
// The boss waits until there is a client, and then accepts it at once, into a socket of the
// worker's: so a worker is chosen only if there is a client for it.
//
// Listeners and sessions share this. The contexts outlive the operation. Sessions may outlive it:
// those in loops that have ended. They find no listener in the list then, and use nothing else of a
// context that is not their own.
class serving : public std::enable_shared_from_this<serving>, private loop_watcher
{
public:
    using listeners = std::vector<std::shared_ptr<listener>>;

    explicit serving(serve_options options)
        : options_(std::move(options))
        , figures_(options_.control.figures_)
    {
        check_option(options_.back_off > options_.back_off.zero(), "serve_options::back_off",
            "more than 0", options_.back_off);
        check_option(options_.drain >= options_.drain.zero(), "serve_options::drain",
            "at least 0", options_.drain);
    }

    serving(serving const&) = delete;
    serving& operator=(serving const&) = delete;

    virtual ~serving()
    {
        for (worker const& w : workers_)
            count(&serve_metrics::workers_left_out, -w.closes);
    }

    // Before it begins, with all workers: sees when a loop of theirs or of the listeners ends. The
    // operation completes on the context of the first listener.
    void watch(listeners const& all)
    {
        listeners_.assign(all.begin(), all.end());
        home_ = &all.front()->context();
        for (auto const& l : all)
            watch(l->context());
        for (worker const& w : workers_)
            watch(*w.context);
    }

    // Everything, until the last session has ended. The coroutine owns what it works on.
    static asio::awaitable<void> run(std::shared_ptr<serving> all, listeners ls)
    {
        auto const first = ls.front(); // in the list until the end: it is poked then, too
        try
        {
            for (std::size_t i = 1; i != ls.size(); ++i)
                asio::co_spawn(ls[i]->executor, accept(all, ls[i]),
                    [all, l = ls[i]](std::exception_ptr) { all->leave(*l); });
        }
        catch (...)
        {
            // Listeners that accept already have to end before the operation does.
            all->stop(std::current_exception());
        }
        ls.clear();
        co_await accept(all, first);
        time_point const deadline = after(all->options_.drain);
        for (;;)
        {
            std::chrono::nanoseconds const left = deadline - std::chrono::steady_clock::now();
            bool const overdue = left <= left.zero();
            if (all->is_drained(overdue, *first))
                break;
            try
            {
                co_await wait(*first, overdue ? now_and_then : std::min(left, now_and_then));
            }
            catch (std::bad_alloc const&)
            {
                // The operation must not end before its sessions, which may give memory back.
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        }
        std::unique_lock lock(all->mutex_);
        bool const sessions_are_over = all->connections_.empty();
        std::exception_ptr const failure = all->failure_;
        lock.unlock();
        if (sessions_are_over)
            all->destroy_session();
        if (failure)
            std::rethrow_exception(failure);
    }

    // Stops all listeners; the first failure counts.
    void stop(std::exception_ptr failure = nullptr) noexcept
    {
        std::lock_guard const lock(mutex_);
        if (failure && !failure_)
            failure_ = std::move(failure);
        stop_locked();
    }

    // Of a session, also of one that could not begin.
    void ended(std::exception_ptr e) const noexcept
    {
        count(&serve_metrics::failed);
        report(std::move(e));
    }

protected:
    // The session is not used any more.
    virtual void destroy_session() noexcept = 0;

    // Accepts a client with a context of the workers, and begins its session.
    virtual void begin(listener& self, connection_place p, boost::system::error_code& error) = 0;

    serve_options const& options() const noexcept { return options_; }

    template <class N>
    void count(N serve_metrics::*what, int by = 1) const noexcept
    {
        figures_->change([&](serve_metrics& m) { m.*what += static_cast<N>(by); });
    }

    // Hooks may block, and are called inside of handlers that the context takes for short. No
    // blocking_section: with produce_consume, other handlers would run beside the hook.
    void report(std::exception_ptr e) const noexcept
    {
        if (!options_.on_session_error)
            return;
        call_frame::end_leases();
        options_.on_session_error(std::move(e));
    }

    // Before it begins: the workers by their number. Throws std::bad_alloc.
    void add_worker(asio::execution_context& context)
    {
        workers_.push_back({&context});
        figures_->need_workers(workers_.size());
    }

    // The worker for a connection, which would be the next one's: that one, or else, of those that
    // are not being shut down, the one with the fewest connections.
    std::size_t choose_worker(asio::execution_context& next) noexcept
    {
        std::lock_guard const lock(mutex_);
        auto const rank = [&](worker const& w) {
            return std::tuple(w.closes, w.context != &next, w.live);
        };
        auto const chosen = std::min_element(workers_.begin(), workers_.end(),
            [&](worker const& a, worker const& b) { return rank(a) < rank(b); });
        if (chosen->context != &next)
            count(&serve_metrics::passed_over);
        return index(*chosen);
    }

    // Whether a worker that another one passed a connection to may have it.
    bool takes_over(std::size_t worker) noexcept
    {
        std::lock_guard const lock(mutex_);
        if (workers_[worker].closes)
            return false;
        count(&serve_metrics::passed_over);
        return true;
    }

    // Its session will run there, and not where it was to run before.
    void assign(open_connection& c, std::size_t worker, socket_identity socket) noexcept
    {
        std::lock_guard const lock(mutex_);
        c.socket = socket;
        if (c.on)
            count_session(*c.on, -1);
        c.on = &workers_[worker];
        count_session(*c.on, 1);
    }

    void set_signal(
        open_connection& c, std::shared_ptr<asio::cancellation_signal> signal) noexcept
    {
        std::lock_guard const lock(mutex_);
        c.signal = std::move(signal);
        if (stopping_ || c.on->closes)
            cancel(c, asio::cancellation_type::total);
    }

private:
    // After so many the boss does its other work. Netty's figure.
    static constexpr int at_a_time = 16;

    // How often what may have changed unnoticed is looked at.
    static constexpr std::chrono::nanoseconds now_and_then = std::chrono::seconds(1);

    // How long a listener leaves its clients alone, and whether to count that it backs off.
    struct pause
    {
        std::chrono::nanoseconds time{};
        bool backs_off = false;
    };

    // Until poke(), or for a while.
    static asio::awaitable<std::tuple<boost::system::error_code>> wait(
        listener& self, std::chrono::nanoseconds time)
    {
        self.timer.expires_at(after(time));
        return self.timer.async_wait(asio::as_tuple(asio::use_awaitable));
    }

    // Accepts until stop(). Without memory to wait for a client all listeners stop.
    static asio::awaitable<void> accept(
        std::shared_ptr<serving> all, std::shared_ptr<listener> self)
    {
        try
        {
            for (bool reported = false; !all->stopping();)
            {
                auto const [error]
                    = co_await self->clients.start(asio::as_tuple(asio::use_awaitable));
                pause const p = all->accept_some(*self, error, reported);
                if (p.time == p.time.zero())
                    continue;
                all->count(&serve_metrics::backing_off, p.backs_off);
                at_exit const over([&] { all->count(&serve_metrics::backing_off, -p.backs_off); });
                co_await wait(*self, p.time);
            }
        }
        catch (...)
        {
            all->stop(std::current_exception());
        }
        self->close();
    }

    pause accept_some(listener& self, boost::system::error_code error, bool& reported)
    try
    {
        for (int i = 0; i != at_a_time && !stopping(); ++i)
        {
            if (i != 0)
                self.acceptor.wait(asio::socket_base::wait_read, error);
            if (error)
                return failed(error, reported);
            if (options_.overloaded && options_.overloaded())
                return {options_.back_off, true};
            connection_place p = enter(self);
            if (!p && options_.when_full == connections_full::wait)
                return {now_and_then};
            if (auto const time = take_turn(); time != time.zero())
                return {time};
            if (p)
                begin(self, std::move(p), error);
            else if (auto const refused = self.acceptor.accept(error); !error)
                count(&serve_metrics::refused);
            if (error)
                return failed(error, reported);
            reported = false;
        }
        return {};
    }
    catch (...)
    {
        ended(std::current_exception());
        return {options_.back_off, true};
    }

    pause failed(boost::system::error_code error, bool& reported) noexcept
    {
        namespace errc = boost::system::errc;
        if (error == asio::error::operation_aborted || error == asio::error::would_block
            || error == asio::error::try_again || error == asio::error::interrupted
            || error == asio::error::connection_aborted || error == asio::error::connection_reset
            || error == errc::protocol_error)
            return {};
        if (error == asio::error::bad_descriptor || error == asio::error::not_socket
            || error == asio::error::invalid_argument)
        {
            stop(std::make_exception_ptr(boost::system::system_error(error)));
            return {};
        }
        count(&serve_metrics::accept_errors);
        if (!std::exchange(reported, true) && options_.on_accept_error)
        {
            call_frame::end_leases();
            options_.on_accept_error(error);
        }
        return {options_.back_off, true};
    }

    bool stopping() const noexcept
    {
        std::lock_guard const lock(mutex_);
        return stopping_;
    }

    static std::size_t limit(std::size_t by_control, std::size_t option) noexcept
    {
        return by_control == serve_figures::not_set ? option : by_control;
    }

    // Takes a place. If there is none, null: the listener that asks is poked when there is one
    // again. Throws std::bad_alloc.
    connection_place enter(listener& asks)
    {
        std::list<open_connection> one(1);
        std::unique_lock lock(mutex_);
        auto const most = limit(figures_->max_connections, options_.max_connections);
        asks.wants_place = most != 0 && going_on() >= most;
        if (asks.wants_place)
            return nullptr;
        connections_.splice(connections_.begin(), one);
        auto const c = connections_.begin();
        lock.unlock();
        return {&*c, [all = shared_from_this(), c](open_connection*) { all->leave(c); }};
    }

    void leave(std::list<open_connection>::iterator c) noexcept
    {
        std::list<open_connection> gone; // outlives the lock
        std::lock_guard const lock(mutex_);
        if (c->on)
            count_session(*c->on, -1);
        gone.splice(gone.begin(), connections_, c);
        places_change();
    }

    // A listener other than the first has closed.
    void leave(listener const& l) noexcept
    {
        std::lock_guard const lock(mutex_);
        std::erase_if(listeners_, [&](auto const& w) { return w.lock().get() == &l; });
        if (stopping_)
            stop_locked();
    }

    // 0 if the rate allows another connection, which counts then; else after how long to ask again.
    std::chrono::nanoseconds take_turn() noexcept
    {
        std::lock_guard const lock(mutex_);
        return rate_.take(std::chrono::steady_clock::now(),
            limit(figures_->max_accept_rate, options_.max_accept_rate));
    }

    // Stops all listeners except `self`, which knows. Whether all sessions have ended, or cannot
    // run any more, and no other listener accepts. If not, tells the sessions to end, each once,
    // and ends their connections when they are overdue. To be called now and then: sessions that
    // were on their way begin, and there may be no memory.
    bool is_drained(bool overdue, listener const& self) noexcept
    {
        auto const type
            = overdue ? asio::cancellation_type::terminal : asio::cancellation_type::total;
        std::lock_guard const lock(mutex_);
        stop_locked(&self);
        std::erase_if(listeners_, [](auto const& w) { return w.expired(); });
        if (going_on() == 0 && listeners_.size() <= 1)
            return true;
        for (open_connection& c : connections_)
        {
            if (overdue)
                c.socket.shut_down(spare_);
            cancel(c, type);
        }
        return false;
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

    void stop_locked(listener const* self = nullptr) noexcept
    {
        stopping_ = true;
        poke(true, self);
    }

    // There is a place again, or an end.
    void places_change() noexcept { poke(stopping_ && going_on() == 0); }

    // Ends whatever listeners wait for, soon: all but `self`, or those that wait for a place. That
    // may fail for lack of memory: so one that waits for something other than a client looks now
    // and then.
    void poke(bool all, listener const* self = nullptr) noexcept
    {
        for (auto const& w : listeners_)
            try
            {
                auto const l = w.lock();
                if (l && l.get() != self && (std::exchange(l->wants_place, false) || all))
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

    // Before it begins.
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

    // A worker gets no more connections, and its sessions are told: what is submitted now is still
    // run.
    void loop_closes(asio::execution_context& loop) noexcept override
    {
        std::lock_guard const lock(mutex_);
        worker const* const w = close_worker(loop);
        for (open_connection& c : connections_)
            if (w && c.on == w)
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
        if (worker* const w = close_worker(loop))
        {
            w->ended = true;
            for (open_connection const& c : connections_)
                if (c.on == w)
                    c.socket.shut_down(spare_);
        }
        places_change();
    }

    // Null if the loop is none of the workers. Without workers there is no service, and without the
    // loop on which the operation completes it must do so now.
    worker* close_worker(asio::execution_context& loop) noexcept
    {
        auto const w = std::find_if(workers_.begin(), workers_.end(),
            [&](worker const& one) { return one.context == &loop; });
        if (w == workers_.end())
            return nullptr;
        count(&serve_metrics::workers_left_out, !std::exchange(w->closes, true));
        if (&loop == home_
            || std::all_of(workers_.begin(), workers_.end(), [](auto& one) { return one.closes; }))
            stop_locked();
        return &*w;
    }

    // A session is on its way there (1), or is over, perhaps without having begun (-1).
    void count_session(worker& w, int by) noexcept
    {
        auto const add = [by](std::size_t& n) { n += static_cast<std::size_t>(by); };
        add(w.live);
        figures_->change([&](serve_metrics& m) {
            add(m.open);
            add(m.open_by_worker[index(w)]);
        });
    }

    std::size_t index(worker const& w) const noexcept
    {
        return static_cast<std::size_t>(&w - workers_.data());
    }

    // Sessions, except for those in workers that have ended.
    std::size_t going_on() const noexcept
    {
        std::size_t n = connections_.size();
        for (worker const& w : workers_)
            n -= w.ended ? w.live : 0;
        return n;
    }

    serve_options const options_;
    std::shared_ptr<serve_figures> const figures_;
    asio::execution_context* home_ = nullptr; // only compared; not changed once it has begun

    std::mutex mutable mutex_; // guards what follows
    std::vector<std::weak_ptr<listener>> listeners_;
    std::list<open_connection> connections_;
    spare_descriptor spare_;
    std::vector<worker> workers_; // in the order of their group; none is added once it has begun
    accept_rate rate_;
    bool stopping_ = false;
    std::exception_ptr failure_; // the first one
};

} // namespace asio_ewyk::detail

#endif
