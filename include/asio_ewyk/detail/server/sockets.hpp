// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVER_SOCKETS_HPP
#define ASIO_EWYK_DETAIL_SERVER_SOCKETS_HPP

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#if !defined(_WIN32)
#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

// The sockets that serve makes. A program that this one starts does not get them.

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// As soon as may be: another thread may fork before.
template <class Socket>
void close_on_exec([[maybe_unused]] Socket& socket) noexcept
{
#if !defined(_WIN32)
    ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
#endif
}

// Has the system distribute the clients of a port among the sockets that listen there.
inline void share_port([[maybe_unused]] asio::ip::tcp::acceptor& acceptor)
{
    boost::system::error_code error = asio::error::operation_not_supported;
#if defined(SO_REUSEPORT)
    int const on = 1;
    if (::setsockopt(acceptor.native_handle(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0)
        return;
    error.assign(errno, asio::error::get_system_category());
#endif
    throw boost::system::system_error(error, "reuse_port");
}

template <class Context>
asio::ip::tcp::acceptor listen(
    Context& context, asio::ip::tcp::endpoint const& where, bool shares_port)
{
    asio::ip::tcp::acceptor acceptor(context, where.protocol());
    close_on_exec(acceptor);
    acceptor.set_option(asio::socket_base::reuse_address(true));
    if (shares_port)
        share_port(acceptor);
    acceptor.bind(where);
    acceptor.listen();
    return acceptor;
}

#if defined(__linux__)
// Closes what was not passed on.
struct descriptor
{
    explicit descriptor(int d) noexcept
        : value(d)
    {
    }
    descriptor(descriptor const&) = delete;
    descriptor& operator=(descriptor const&) = delete;
    ~descriptor()
    {
        if (value != -1)
            ::close(value);
    }

    int value;
};
#endif

// Does not wait for a client; the acceptor is non-blocking. Linux closes the socket on exec from
// its beginning; a child that another thread forks elsewhere would keep the connection open.
template <class Protocol, class Socket>
void accept(asio::basic_socket_acceptor<Protocol>& acceptor,
    [[maybe_unused]] Protocol const& protocol, Socket& client, typename Protocol::endpoint& peer,
    boost::system::error_code& error)
{
#if defined(__linux__)
    auto size = static_cast<socklen_t>(peer.capacity());
    descriptor accepted(::accept4(acceptor.native_handle(), peer.data(), &size, SOCK_CLOEXEC));
    if (accepted.value == -1)
        return error.assign(errno, asio::error::get_system_category());
    client.assign(protocol, accepted.value, error);
    if (error)
        return;
    accepted.value = -1;
    peer.resize(std::min<std::size_t>(size, peer.capacity()));
#else
    acceptor.accept(client, peer, error);
    if (!error)
        close_on_exec(client);
#endif
}

} // namespace asio_ewyk::detail

#endif
