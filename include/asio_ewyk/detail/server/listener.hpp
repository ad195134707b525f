// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVER_LISTENER_HPP
#define ASIO_EWYK_DETAIL_SERVER_LISTENER_HPP

#include <asio_ewyk/detail/context/strategy_service.hpp>
#include <asio_ewyk/detail/loop/contexts.hpp>
#include <asio_ewyk/detail/os/client_wait.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/system/system_error.hpp>

#include <utility>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

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
    if (is_loop(context))
    {
        auto& loop = asio::use_service<event_loop_service>(context);
        loop.start();
        return loop.context().get_executor();
    }
    if (auto* const service = strategy_service::installed_in(context))
        return asio::make_strand(service->context().get_executor());
    return asio::make_strand(executor);
}

// Accepts connections of any protocol; also waits for a place, for the end of a pause, or for that
// of the sessions. A coroutine on its executor owns it.
struct listener
{
    template <class Protocol, class Executor>
    explicit listener(asio::basic_socket_acceptor<Protocol, Executor> a)
        : executor(serial(a.get_executor()))
        , acceptor(std::move(a))
        , clients(acceptor)
        , timer(executor)
    {
        acceptor.non_blocking(true);
        // Otherwise Asio waits for another client in the middle of an accept.
        acceptor.set_option(asio::socket_base::enable_connection_aborted(true));
    }

    asio::execution_context& context() const noexcept
    {
        return asio::query(executor, asio::execution::context);
    }

    // Accepts no more clients, and waits for none. On the executor, or when that runs nothing.
    void close() noexcept { clients.close(); }

    asio::any_io_executor const executor;
    asio::basic_socket_acceptor<asio::generic::stream_protocol> acceptor;
    client_wait clients;
    asio::steady_timer timer;
    bool wants_place = false; // guarded by the operation's mutex
};

} // namespace asio_ewyk::detail

#endif
