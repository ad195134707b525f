// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_LISTEN_HPP
#define ASIO_EWYK_LISTEN_HPP

#include <asio_ewyk/detail/loop/contexts.hpp>
#include <asio_ewyk/detail/serve/descriptors.hpp>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <stdexcept>

#if !defined(_WIN32)
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
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

    /// The client is accepted only when it has sent something, or after about this long: at least
    /// a second; on Linux, for TCP. 0: at once.
    std::chrono::seconds defer_accept = std::chrono::seconds(0);

    /// How many clients that send data with their first packet (TCP Fast Open) may wait to be
    /// accepted; on Linux, for TCP, and where the system's settings allow it to servers. 0: none.
    int fast_open = 0;
};

namespace detail {

// An option that Asio does not have; `name`: as in the system's headers, or -1 if there is none.
template <class Acceptor>
void set_system_option([[maybe_unused]] Acceptor& acceptor, [[maybe_unused]] int level,
    [[maybe_unused]] int name, [[maybe_unused]] int value)
{
    boost::system::error_code error = asio::error::operation_not_supported;
#if !defined(_WIN32)
    if (name != -1)
    {
        if (::setsockopt(acceptor.native_handle(), level, name, &value, sizeof value) == 0)
            return;
        error.assign(errno, asio::error::get_system_category());
    }
#endif
    throw boost::system::system_error(error, "listen");
}

template <class Context, class Endpoint>
auto listen_on(Context& context, Endpoint const& where, listen_options const& options)
{
#if defined(SO_REUSEPORT)
    constexpr int reuse_port = SO_REUSEPORT;
#else
    constexpr int reuse_port = -1;
#endif
#if defined(__linux__)
    constexpr int defer_accept = TCP_DEFER_ACCEPT, fast_open = TCP_FASTOPEN;
#else
    constexpr int defer_accept = -1, fast_open = -1;
#endif
    using protocol_type = typename Endpoint::protocol_type;
    if (options.backlog < 1)
        throw std::invalid_argument("backlog must be at least 1");
    if (options.fast_open < 0 || options.defer_accept < options.defer_accept.zero())
        throw std::invalid_argument("fast_open and defer_accept must be at least 0");
    protocol_type const protocol = where.protocol();
    asio::basic_socket_acceptor<protocol_type> acceptor(context);
    detail::open(acceptor, protocol, !options.close_on_exec);
    if (options.reuse_address)
        acceptor.set_option(asio::socket_base::reuse_address(true));
    if (options.reuse_port)
        set_system_option(acceptor, SOL_SOCKET, reuse_port, 1);
    if (options.v6_only && protocol.family() == asio::ip::tcp::v6().family())
        acceptor.set_option(asio::ip::v6_only(*options.v6_only));
    acceptor.bind(where);
    if (options.defer_accept != options.defer_accept.zero())
    {
        constexpr std::chrono::seconds most(std::numeric_limits<int>::max());
        auto const seconds = std::min(options.defer_accept, most).count();
        set_system_option(
            acceptor, IPPROTO_TCP, defer_accept, static_cast<int>(seconds));
    }
    if (options.fast_open != 0)
        set_system_option(acceptor, IPPROTO_TCP, fast_open, options.fast_open);
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
