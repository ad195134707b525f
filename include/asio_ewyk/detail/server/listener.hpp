// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVER_LISTENER_HPP
#define ASIO_EWYK_DETAIL_SERVER_LISTENER_HPP

#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/loop/event_loop_service.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/server/connection_limiter.hpp>
#include <asio_ewyk/detail/server/permit.hpp>
#include <asio_ewyk/detail/server/sockets.hpp>
#include <asio_ewyk/strategy_service.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/strand.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

// Where to accept with an acceptor of that executor: one function at a time, and, for a known
// context, by an executor that never refuses. A strand would stay locked if its inner executor
// once refused, and co_spawn would not survive it.
// Throws boost::system::system_error if a loop has ended.
template <class Executor>
asio::any_io_executor serial(Executor const& executor)
{
    asio::execution_context& context = asio::query(executor, asio::execution::context);
    if (has_ended(context))
        throw boost::system::system_error(asio::error::operation_aborted, "the boss has ended");
    if (asio::has_service<event_loop_service>(context))
    {
        auto& loop = asio::use_service<event_loop_service>(context);
        loop.start();
        return loop.context().get_executor();
    }
    if (asio::has_service<strategy_service>(context))
        return asio::make_strand(
            asio::use_service<strategy_service>(context).context().get_executor());
    return asio::make_strand(executor);
}

// Calls what it is given, at once.
class inline_executor
{
public:
    template <class F>
    void execute(F&& f) const
    {
        std::forward<F>(f)();
    }

    friend bool operator==(inline_executor const&, inline_executor const&) noexcept = default;
};

template <class Protocol>
class listener final : public listener_base
{
public:
    using acceptor_type = asio::basic_socket_acceptor<Protocol>;

    listener(
        std::shared_ptr<connection_limiter> all, asio::any_io_executor executor, acceptor_type a)
        : listener_base(std::move(all), std::move(executor))
        , acceptor(std::move(a))
        , protocol(acceptor.local_endpoint().protocol())
    {
        acceptor.non_blocking(true);
        // Otherwise Asio waits for another client in the middle of an accept.
        acceptor.set_option(asio::socket_base::enable_connection_aborted(true));
    }

    acceptor_type acceptor;
    Protocol const protocol; // of what it accepts

private:
    void stop_waiting() noexcept override
    {
        boost::system::error_code ignored; // there was nothing to stop
        acceptor.cancel(ignored);
    }

    void close() noexcept override
    {
        boost::system::error_code ignored; // it is closed all the same
        acceptor.close(ignored);
    }
};

// A listener with an acceptor that has the listener's own executor if that is the io_context's:
// otherwise Asio needs memory for each completion, and cannot continue without.
template <class Protocol, class Executor>
std::shared_ptr<listener<Protocol>> make_listener(
    std::shared_ptr<connection_limiter> all, asio::basic_socket_acceptor<Protocol, Executor> a)
{
    using acceptor_type = typename listener<Protocol>::acceptor_type;
    auto executor = serial(a.get_executor());
    acceptor_type same(executor);
    boost::system::error_code error;
    auto const where = a.local_endpoint(error);
    if (!error && executor.template target<asio::io_context::executor_type>())
        if (auto const descriptor = a.release(error); !error)
            same.assign(where.protocol(), descriptor);
    if (!same.is_open())
        same = acceptor_type(std::move(a));
    return std::make_shared<listener<Protocol>>(
        std::move(all), std::move(executor), std::move(same));
}

// What a serve() does, except for the sessions; so that it is compiled once for all kinds of them.
//
// The boss waits until there is a client, and then accepts it at once, into a socket of the
// worker's. A pending accept must not hold such a socket: it belongs to the boss's context, and the
// socket must be gone before the worker's context is destroyed, which may come first.
template <class Protocol>
class serving : public connection_limiter
{
public:
    using listener_type = listener<Protocol>;
    using listeners = std::vector<std::shared_ptr<listener_type>>;

    explicit serving(serve_options options)
        : connection_limiter(std::move(options))
    {
        if (!is_tcp && this->options().admit)
            throw std::invalid_argument("admit is for TCP only");
    }
    virtual ~serving() = default;

    // Everything, until the last session has ended. The coroutine owns what it works on.
    static asio::awaitable<void> run(std::shared_ptr<serving> all, listeners ls)
    {
        listener_type& first = *ls.front();
        try
        {
            for (std::size_t i = 1; i != ls.size(); ++i)
            {
                auto const executor = ls[i]->executor();
                asio::co_spawn(executor, accept(all, std::move(ls[i])), asio::detached);
            }
        }
        catch (...)
        {
            // Those that accept already have to end before the operation does.
            all->stop(std::current_exception());
        }
        co_await accept(all, ls.front());
        time_point const deadline = after(all->options().drain);
        for (all->stop(nullptr, &first); !all->finished(); all->stop(nullptr, &first))
            try
            {
                std::chrono::nanoseconds pause = std::chrono::seconds(1);
                auto const left = deadline - std::chrono::steady_clock::now();
                bool const overdue = left <= left.zero();
                all->drain(overdue);
                co_await wait(first, overdue ? pause : std::min(pause, pause.zero() + left));
            }
            catch (std::bad_alloc const&)
            {
                block_for_a_moment();
            }
        if (all->sessions_are_over())
            all->destroy_session();
        if (auto const failure = all->failure())
            std::rethrow_exception(failure);
    }

protected:
    // The session is not used any more.
    virtual void destroy_session() noexcept = 0;

    // By the threads of the loops, soon.
    virtual void cancel_sessions_on_loops(asio::cancellation_type type) = 0;

    // Accepts a client with a context of the workers, and begins its session.
    virtual void begin(listener_type& self, permit p, boost::system::error_code& error) = 0;

    // Whether to serve a client that has been accepted; counts it.
    bool admits([[maybe_unused]] typename Protocol::endpoint const& peer) const noexcept
    {
        bool admitted = true;
        if constexpr (is_tcp)
            try
            {
                if (options().admit)
                {
                    call_frame::end_leases();
                    admitted = options().admit(peer);
                }
            }
            catch (...)
            {
                admitted = false;
                report(std::current_exception());
            }
        figures()->change([=](serve_metrics& m) { ++(admitted ? m.accepted : m.refused); });
        return admitted;
    }

    void ended(std::exception_ptr e) const noexcept
    {
        figures()->change([](serve_metrics& m) { ++m.failed; });
        report(std::move(e));
    }

    // Hooks may block, and are called inside of handlers that the context takes for short. No
    // blocking_section: with produce_consume, other handlers would run beside the hook.
    void report(std::exception_ptr e) const noexcept
    {
        if (!options().on_session_error)
            return;
        call_frame::end_leases();
        options().on_session_error(std::move(e));
    }

    // The completion handler of a session; of one type, so that co_spawn is compiled once for all
    // kinds of them. It is called where the session ended, without an executor that might refuse.
    struct end_of_session
    {
        using executor_type = inline_executor;
        executor_type get_executor() const noexcept { return {}; }

        void operator()(std::exception_ptr e) const
        {
            if (e)
                all->ended(std::move(e));
        }

        std::shared_ptr<serving> all;
        permit p;
    };

private:
    static constexpr bool is_tcp = std::is_same_v<Protocol, asio::ip::tcp>;

    enum class next_step
    {
        wait_for_client,
        wait_for_place,
        wait_for_turn,
        back_off,
        end,
    };

    // Now and then, as it may fail, and sessions that were on their way begin.
    void drain(bool overdue) noexcept
    try
    {
        if (overdue)
            shut_connections_down();
        if (options().cancel_sessions)
            cancel_sessions_on_loops(overdue ? asio::cancellation_type::terminal
                                             : asio::cancellation_type::total);
    }
    catch (...)
    {
    }

    // After so many the boss does its other work. Netty's figure.
    static constexpr int at_a_time = 16;

    // Has `wait` begin a wait with a handler that has its memory in the listener; the result is a
    // tuple of the error.
    template <class Wait>
    static auto wait_by(listener_type& self, Wait wait)
    {
        constexpr auto as_result = asio::as_tuple(asio::deferred);
        return asio::async_initiate<decltype(as_result), void(boost::system::error_code)>(
            [&self, wait](auto handler) {
                wait(asio::bind_allocator(self.memory().get(), std::move(handler)));
            },
            as_result);
    }

    static auto wait_for_client(listener_type& self)
    {
        return wait_by(self, [&self](auto handler) {
            self.acceptor.async_wait(asio::socket_base::wait_read, std::move(handler));
        });
    }

    // Waits until poke(), or for a while. Throws std::bad_alloc before it waits: an exception after
    // the coroutine is suspended would be lost with it.
    static auto wait(listener_type& self, std::chrono::nanoseconds time = std::chrono::seconds(1))
    {
        self.set_timer(after(time));
        return wait_by(
            self, [&self](auto handler) { self.timer().async_wait(std::move(handler)); });
    }

    // For a pause without memory.
    static void block_for_a_moment() noexcept
    {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

    // Accepts until stop().
    static asio::awaitable<void> accept(
        std::shared_ptr<serving> all, std::shared_ptr<listener_type> self)
    {
        for (bool reported = false; !all->stopping();)
            try
            {
                auto [error] = co_await wait_for_client(*self);
                switch (error ? all->failed(error, reported)
                              : all->accept_some(*self, error, reported))
                {
                case next_step::wait_for_client:
                    break;
                case next_step::wait_for_place:
                    co_await wait(*self);
                    break;
                case next_step::wait_for_turn:
                    co_await wait(*self, all->time_to_turn());
                    break;
                case next_step::back_off:
                {
                    backing_off const now(all->figures());
                    co_await wait(*self, all->options().back_off);
                    break;
                }
                case next_step::end:
                    all->stop(std::make_exception_ptr(boost::system::system_error(error)));
                    break;
                }
            }
            catch (std::bad_alloc const&)
            {
                all->figures()->change([](serve_metrics& m) { ++m.accept_errors; });
                block_for_a_moment();
            }
            catch (...)
            {
                all->stop(std::current_exception());
            }
        boost::system::error_code ignored; // it is closed all the same
        self->acceptor.close(ignored);
    }

    next_step accept_some(listener_type& self, boost::system::error_code& error, bool& reported)
    try
    {
        for (int i = 0; i != at_a_time && !stopping(); ++i)
        {
            // A worker is chosen only if there is a client for it.
            if (i != 0)
                self.acceptor.wait(asio::socket_base::wait_read, error);
            if (error)
                return failed(error, reported);
            if (options().overloaded && options().overloaded())
                return next_step::back_off;
            if (enter(self))
            {
                permit p(shared_from_this());
                if (!take_turn())
                    return next_step::wait_for_turn;
                with_workers([&] { begin(self, std::move(p), error); });
            }
            else if (options().when_full == connections_full::wait)
                return next_step::wait_for_place;
            else if (!take_turn())
                return next_step::wait_for_turn;
            else
                refuse(self, error);
            if (error)
                return failed(error, reported);
            reported = false;
        }
        return next_step::wait_for_client;
    }
    catch (...)
    {
        ended(std::current_exception());
        return next_step::back_off;
    }

    void refuse(listener_type& self, boost::system::error_code& error) const
    {
        auto const refused = self.acceptor.accept(error);
        if (!error)
            figures()->change([](serve_metrics& m) { ++m.refused; });
    }

    next_step failed(boost::system::error_code error, bool& reported) const noexcept
    {
        namespace errc = boost::system::errc;
        if (error == asio::error::operation_aborted || error == asio::error::would_block
            || error == asio::error::try_again || error == asio::error::interrupted
            || error == asio::error::connection_aborted || error == asio::error::connection_reset
            || error == errc::protocol_error)
            return next_step::wait_for_client;
        if (error == asio::error::bad_descriptor || error == asio::error::not_socket
            || error == asio::error::invalid_argument)
            return next_step::end;
        figures()->change([](serve_metrics& m) { ++m.accept_errors; });
        if (!std::exchange(reported, true) && options().on_accept_error)
        {
            call_frame::end_leases();
            options().on_accept_error(error);
        }
        return next_step::back_off;
    }
};

} // namespace asio_ewyk::detail

#endif
