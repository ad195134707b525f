// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_SERVER_SERVE_OPTIONS_HPP
#define ASIO_EWYK_SERVER_SERVE_OPTIONS_HPP

#include <asio_ewyk/server/serve_control.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>

namespace asio_ewyk {

/// What happens to a client beyond the limit of connections.
enum class connections_full
{
    /// The client waits in the system's backlog until another one leaves, as with Tomcat's
    /// `acceptCount`.
    wait,
    /// Its connection is accepted and closed at once, as Hadoop's DataNode does.
    refuse,
};

/** How `serve` is to accept. Every field has a default.

    The functions may block: a `strategy_context` whose handlers run concurrently goes on meanwhile;
    with `produce_consume`, and on an event loop, the others wait.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct serve_options
{
    /// The most connections that are open at a time.
    /// @range 0 (no limit) or more, in connections
    std::size_t max_connections = 0;

    /// What happens to a client beyond `max_connections`.
    connections_full when_full = connections_full::wait;

    /// The most connections that are accepted in a second, also those that are closed at once; the
    /// others wait in the system's backlog. What a tenth of a second allows may come at a time.
    /// @range 0 (no limit) or more, in connections a second
    std::size_t max_accept_rate = 0;

    /// Says whether there is more work than can be done, as `load_shedder::overloaded` does. While
    /// it returns true, clients wait in the system's backlog, and it is asked again after
    /// `back_off`. Asked before each connection, and by several threads at a time if several
    /// sockets listen. An exception counts as yes, and goes to `on_session_error`. Must not block.
    /// Empty: there never is.
    std::function<bool()> overloaded = {};

    /// Each context of the boss listens for itself, with SO_REUSEPORT, and the system distributes
    /// the clients among them; otherwise one of them listens. `serve` throws
    /// `boost::system::system_error` where the system does not have that option. Acceptors of the
    /// caller's are left as they are.
    bool reuse_port = false;

    /// How long the listening socket is left alone when the system is out of descriptors or of
    /// memory, or says something unexpected, or `overloaded` is true.
    /// @range more than 0
    std::chrono::nanoseconds back_off = std::chrono::milliseconds(50);

    /// How long sessions may go on after the operation was cancelled; then their connections are
    /// shut down, so that whatever they read next is the end, and writing fails. This is done on
    /// Linux; elsewhere only `cancel_sessions` has an effect then. The default is Netty's.
    /// @range 0 (at once) or more; `nanoseconds::max()`: as long as they like
    std::chrono::nanoseconds drain = std::chrono::seconds(15);

    /// Whether sessions on event loops are cancelled: each with `cancellation_type::total` when the
    /// operation is, and with `terminal` after `drain`. A coroutine ignores the former unless it
    /// says `reset_cancellation_state(enable_total_cancellation())`; then an idle read ends, and an
    /// answer that is being written does not. Do not set it where sessions leave their loop, such
    /// as by `switch_to`: nothing may be emitted to them while they are away. Other workers emit
    /// nothing.
    bool cancel_sessions = false;

    /// Says whether to serve a client with that address and port, as an allow list does; otherwise
    /// its connection is closed at once. Called by the boss, one call at a time for each socket
    /// that listens, and only if there is room. An exception is a refusal too, and goes to
    /// `on_session_error`. Empty: serves all. With an acceptor of another protocol than TCP `serve`
    /// throws `std::invalid_argument`.
    std::function<bool(boost::asio::ip::tcp::endpoint const&)> admit = {};

    /// Called by the boss with the reason why it backs off, and then not again until it has
    /// accepted a connection. Must not throw.
    std::function<void(boost::system::error_code)> on_accept_error = {};

    /// Called with what a session threw, by the thread on which it ended. Also called with the
    /// reason why a session could not begin, and with what `admit` threw, by a thread of the worker
    /// or of the boss. Several threads may call it at a time. Empty: the connection just ends. Must
    /// not throw.
    std::function<void(std::exception_ptr)> on_session_error = {};

    /// A handle to the operation, for its metrics and to change limits. Keep a copy.
    /// @range any handle
    serve_control control = {};
};

} // namespace asio_ewyk

#endif
