// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_SERVER_LISTEN_HPP
#define ASIO_EWYK_SERVER_LISTEN_HPP

#include <asio_ewyk/detail/loop/contexts.hpp>
#include <asio_ewyk/detail/server/descriptors.hpp>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/system/system_error.hpp>

#include <cstddef>
#include <optional>
#include <stdexcept>

#if !defined(_WIN32)
#include <sys/socket.h>
#endif

namespace asio_ewyk {

/** How a socket is to listen. Every field has a default.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct listen_options
{
    /// How many clients the system lets wait to be accepted. At least 1.
    int backlog = boost::asio::socket_base::max_listen_connections;

    /// Whether it may listen where connections of an earlier socket have not quite ended.
    bool reuse_address = true;

    /// Whether several sockets may listen at the same port; the system distributes the clients
    /// among them.
    bool reuse_port = false;

    /// Whether a socket of IPv6 leaves the clients of IPv4 to another one. Empty: as the system has
    /// it. No effect on other sockets.
    std::optional<bool> v6_only = {};

    /// Whether programs that this one starts do not get the socket; on Linux, not even those that
    /// another thread starts meanwhile.
    bool close_on_exec = true;
};

namespace detail {

#if defined(SO_REUSEPORT)
// A SettableSocketOption of Asio's.
struct reuse_port
{
    int value = 1;

    template <class Protocol>
    int level(Protocol const&) const noexcept
    {
        return SOL_SOCKET;
    }
    template <class Protocol>
    int name(Protocol const&) const noexcept
    {
        return SO_REUSEPORT;
    }
    template <class Protocol>
    void const* data(Protocol const&) const noexcept
    {
        return &value;
    }
    template <class Protocol>
    std::size_t size(Protocol const&) const noexcept
    {
        return sizeof value;
    }
};
#endif

template <class Context, class Endpoint>
auto listen_on(Context& context, Endpoint const& where, listen_options const& options)
{
    using protocol_type = typename Endpoint::protocol_type;
    if (options.backlog < 1)
        throw std::invalid_argument("backlog must be at least 1");
    protocol_type const protocol = where.protocol();
    asio::basic_socket_acceptor<protocol_type> acceptor(context);
    detail::open(acceptor, protocol, !options.close_on_exec);
    if (options.reuse_address)
        acceptor.set_option(asio::socket_base::reuse_address(true));
    if (options.reuse_port)
#if defined(SO_REUSEPORT)
        acceptor.set_option(reuse_port());
#else
        throw boost::system::system_error(asio::error::operation_not_supported, "reuse_port");
#endif
    if (options.v6_only && protocol.family() == asio::ip::tcp::v6().family())
        acceptor.set_option(asio::ip::v6_only(*options.v6_only));
    acceptor.bind(where);
    acceptor.listen(options.backlog);
    return acceptor;
}

} // namespace detail

/** Makes an acceptor that listens, such as for `serve`.

    `boss` is a context, or a group of them, of which the next one has the acceptor. `where` is an
    endpoint of TCP, or of another protocol that has connections; the result is an
    `asio::basic_socket_acceptor` of that, with `any_io_executor`. A socket of a path on the file
    system leaves that there at the end, and cannot listen while it is there.

    @par Thread Safety
    May be called by any thread.

    @par Exception Safety
    Strong guarantee. `std::invalid_argument` for options that cannot work;
    `boost::system::system_error` if it cannot listen, with `operation_not_supported`, or the
    system's own error, for options that the system or the protocol does not have.

    @par Example
    @snippet test/unit/listen_options.cpp endpoints

    @see serve
*/
template <detail::contexts Boss, class Endpoint = boost::asio::ip::tcp::endpoint>
auto listen(Boss& boss, Endpoint const& where, listen_options const& options = {})
{
    return detail::listen_on(detail::next_live_context(boss), where, options);
}

} // namespace asio_ewyk

#endif
