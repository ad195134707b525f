// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_SERVER_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_SERVER_HPP

#include "connections.hpp"
#include "limits.hpp"
#include "response.hpp"
#include "session.hpp"
#include "usage.hpp"

#include <asio_ewyk/diagnostics/prometheus.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/system/system_error.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace http_server {

/** Accepts connections on the contexts of an arrangement until SIGINT or SIGTERM.

    The acceptor and the signals share a strand, for a signal closes the acceptor. Connections are
    created on their own executor and run without it.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
template <class Arrangement>
class server
{
public:
    /// Binds and listens. Throws std::runtime_error if it cannot.
    server(Arrangement& arrangement, tcp::endpoint const& where, steady_clock::duration timeout,
        std::chrono::milliseconds max_queue_delay, bool turns_away)
      : arrangement_(arrangement),
        turns_away_(turns_away),
        strand_(asio::make_strand(arrangement.get_executor())),
        acceptor_(listen(strand_, where)),
        signals_(strand_, SIGINT, SIGTERM),
        connections_(std::make_shared<connections>(
            arrangement.get_executor(), timeout, max_queue_delay, [this] { return page(); }))
    {
        acceptor_.non_blocking(true);
    }

    tcp::endpoint local_endpoint() const { return acceptor_.local_endpoint(); }

    /// Serves until a signal comes and the open connections are done. `stopping` is called first.
    template <class Stopping>
    void run(Stopping stopping)
    {
        signals_.async_wait([this, stopping](error_code error, int) {
            if (!error)
                stop(stopping);
        });
        asio::co_spawn(strand_, accept(), [this](std::exception_ptr failure) {
            arrangement_.close();
            if (failure)
                std::rethrow_exception(failure);    // out of run()
        });
        arrangement_.run();
    }

    /// Requests answered; complete once run() has returned.
    std::uint64_t served() const { return connections_->served(); }

private:
    using offload_type = decltype(std::declval<Arrangement&>().offload());
    using session_type = session<typename Arrangement::executor_type, offload_type>;

    /// How long to leave the listening socket alone when there is nothing left to accept with.
    static constexpr auto back_off = std::chrono::milliseconds(50);

    static asio::awaitable<void, typename Arrangement::executor_type> serve(
        typename session_type::socket_type socket, std::shared_ptr<connections> all,
        offload_type offload)
    {
        session_type s(std::move(socket), std::move(all), offload);
        co_await s.run();
    }

    /// Of a client that was told that it is not served.
    static asio::awaitable<void, typename Arrangement::executor_type> leave(
        typename session_type::socket_type socket, std::shared_ptr<connections> all,
        offload_type offload)
    {
        session_type s(std::move(socket), std::move(all), offload);
        co_await s.leave();
    }

    std::string page()
    {
        asio_ewyk::prometheus_page page;
        arrangement_.add_metrics(page);
        connections_->shedding().add_metrics(page);
        if (turns_away_)
            page.add("http_turned_away_total",
                "Clients that were told at once that there is an overload.",
                static_cast<double>(turned_away_.load()));
        auto const used = usage::now();
        page.add("process_cpu_seconds_total", "User and system time.",
            std::chrono::duration<double>(used.cpu).count());
        std::ostringstream out;
        out << page;
        return out.str();
    }

    static tcp::acceptor listen(asio::any_io_executor const& executor, tcp::endpoint const& where);

    asio::awaitable<void> accept();

    /// Waits for a connection. Has it served, or turns it away, and others that wait already: where
    /// much waits, the context comes to the acceptor again long after.
    asio::awaitable<error_code> accept_some();

    /// Whether a client of that executor is not to be served now.
    bool overloaded(typename Arrangement::executor_type const& executor)
    {
        return turns_away_ && connections_->shedding().of(executor.context())->overloaded();
    }

    /// Answers before the client has asked, and without a queue.
    void turn_away(typename Arrangement::executor_type const& executor,
        typename session_type::socket_type socket);

    template <class Stopping>
    void stop(Stopping& stopping)
    {
        stopping();
        // A second signal does what it does to any program.
        signals_.clear();
        acceptor_.close();
        pause_.cancel();
        connections_->drain();
    }

    Arrangement& arrangement_;
    bool const turns_away_;    // clients that come in an overload
    std::atomic<std::uint64_t> turned_away_{0};
    asio::any_io_executor strand_;
    tcp::acceptor acceptor_;
    asio::signal_set signals_;
    asio::steady_timer pause_{strand_};    // before the next attempt to accept
    std::shared_ptr<connections> connections_;
};

template <class Arrangement>
tcp::acceptor server<Arrangement>::listen(
    asio::any_io_executor const& executor, tcp::endpoint const& where)
try
{
    return {executor, where};
}
catch (boost::system::system_error const& e)
{
    std::ostringstream what;
    what << "cannot listen on " << where << ": " << e.code().message();
    throw std::runtime_error(what.str());
}

template <class Arrangement>
asio::awaitable<void> server<Arrangement>::accept()
{
    for (bool reported = false; acceptor_.is_open();)
    {
        auto const error = co_await accept_some();
        if (!error)
        {
            reported = false;
        }
        else if (error != asio::error::operation_aborted
            && error != asio::error::connection_aborted)
        {
            // Out of descriptors or memory: the clients wait in the backlog until some come back.
            if (!std::exchange(reported, true))
                std::cerr << "http_server: cannot accept for the moment: " << error.message()
                          << std::endl;
            pause_.expires_after(back_off);
            co_await pause_.async_wait(asio::as_tuple(asio::deferred));
        }
    }
}

template <class Arrangement>
asio::awaitable<error_code> server<Arrangement>::accept_some()
try
{
    auto executor = arrangement_.next();
    auto [error, socket] =
        co_await acceptor_.async_accept(executor, asio::as_tuple(asio::deferred));
    for (std::size_t i = 1; !error; ++i)
    {
        if (overloaded(executor))
            turn_away(executor, std::move(socket));
        else
            arrangement_.begin(
                executor, serve(std::move(socket), connections_, arrangement_.offload()));
        if (i == limits::accepted_at_once)
            break;
        executor = arrangement_.next();
        socket = acceptor_.accept(executor, error);
    }
    co_return error == asio::error::would_block ? error_code() : error;
}
catch (boost::system::system_error const& e)
{
    co_return e.code();
}

template <class Arrangement>
void server<Arrangement>::turn_away(typename Arrangement::executor_type const& executor,
    typename session_type::socket_type socket)
{
    static std::string const text = [] {
        std::string out;
        append_response(out, http::status::service_unavailable, {.keep_alive = false});
        return out;
    }();
    ++turned_away_;
    // The buffer of a new socket takes it all, unless the client has gone.
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(text), ignored);
    arrangement_.begin(executor, leave(std::move(socket), connections_, arrangement_.offload()));
}

}

#endif
