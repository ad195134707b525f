// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVER_SERVING_HPP
#define ASIO_EWYK_DETAIL_SERVER_SERVING_HPP

#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/server/connection_limiter.hpp>
#include <asio_ewyk/detail/server/listener.hpp>
#include <asio_ewyk/detail/utility/at_exit.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/errc.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

// What a serve() does, except for the sessions; so that it is compiled once for all kinds of them.
//
// The boss waits until there is a client, and then accepts it at once, into a socket of the
// worker's: so a worker is chosen only if there is a client for it.
class serving : public connection_limiter
{
public:
    using listeners = std::vector<std::shared_ptr<listener>>;

    using connection_limiter::connection_limiter;
    virtual ~serving() = default;

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
        time_point const deadline = after(all->options().drain);
        for (all->stop(nullptr, first.get()); !all->finished(); all->stop(nullptr, first.get()))
        {
            std::chrono::nanoseconds pause = now_and_then;
            auto const left = deadline - std::chrono::steady_clock::now();
            bool const overdue = left <= left.zero();
            all->drain(overdue);
            if (!overdue)
                pause = std::min(pause, std::chrono::nanoseconds(left));
            try
            {
                co_await wait(*first, pause);
            }
            catch (std::bad_alloc const&)
            {
                // The operation must not end before its sessions, which may give memory back.
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        }
        if (all->sessions_are_over())
            all->destroy_session();
        if (auto const failure = all->failure())
            std::rethrow_exception(failure);
    }

    // Of a session, also of one that could not begin.
    void ended(std::exception_ptr e) const noexcept
    {
        figures().change([](serve_metrics& m) { ++m.failed; });
        report(std::move(e));
    }

protected:
    // The session is not used any more.
    virtual void destroy_session() noexcept = 0;

    // Accepts a client with a context of the workers, and begins its session.
    virtual void begin(listener& self, connection_place p, boost::system::error_code& error) = 0;

    // Hooks may block, and are called inside of handlers that the context takes for short. No
    // blocking_section: with produce_consume, other handlers would run beside the hook.
    void report(std::exception_ptr e) const noexcept
    {
        if (!options().on_session_error)
            return;
        call_frame::end_leases();
        options().on_session_error(std::move(e));
    }

private:
    // After so many the boss does its other work. Netty's figure.
    static constexpr int at_a_time = 16;

    // How often what may have changed unnoticed is looked at.
    static constexpr std::chrono::seconds now_and_then{1};

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
                all->count_backing_off(p.backs_off);
                at_exit const over([&] { all->count_backing_off(-p.backs_off); });
                co_await wait(*self, p.time);
            }
        }
        catch (...)
        {
            all->stop(std::current_exception());
        }
        self->close();
    }

    void count_backing_off(int by) noexcept
    {
        figures().change([=](serve_metrics& m) { m.backing_off += static_cast<std::size_t>(by); });
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
            if (options().overloaded && options().overloaded())
                return {options().back_off, true};
            connection_place p = enter(self);
            if (!p && options().when_full == connections_full::wait)
                return {now_and_then};
            if (auto const time = take_turn(); time != time.zero())
                return {time};
            if (p)
                begin(self, std::move(p), error);
            else if (auto const refused = self.acceptor.accept(error); !error)
                figures().change([](serve_metrics& m) { ++m.refused; });
            if (error)
                return failed(error, reported);
            reported = false;
        }
        return {};
    }
    catch (...)
    {
        ended(std::current_exception());
        return {options().back_off, true};
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
        figures().change([](serve_metrics& m) { ++m.accept_errors; });
        if (!std::exchange(reported, true) && options().on_accept_error)
        {
            call_frame::end_leases();
            options().on_accept_error(error);
        }
        return {options().back_off, true};
    }
};

} // namespace asio_ewyk::detail

#endif
