// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_SOCKETS_HPP
#define ASIO_EWYK_DETAIL_OS_SOCKETS_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/windows.hpp>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>

#if defined(ASIO_EWYK_HAS_PTHREAD)
#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

// The sockets that serve makes. A program that this one starts does not get them.

namespace asio_ewyk::detail {

namespace asio = boost::asio;

#if defined(ASIO_EWYK_HAS_WINDOWS)
using native_socket = SOCKET;
#else
using native_socket = int;
#endif

// As soon as may be: another thread may fork before.
inline void close_on_exec(native_socket socket) noexcept
{
#if defined(ASIO_EWYK_HAS_WINDOWS)
    ::SetHandleInformation(reinterpret_cast<HANDLE>(socket), HANDLE_FLAG_INHERIT, 0);
#else
    ::fcntl(socket, F_SETFD, FD_CLOEXEC);
#endif
}

inline void close_native(native_socket socket) noexcept
{
#if defined(ASIO_EWYK_HAS_WINDOWS)
    ::closesocket(socket);
#else
    ::close(socket);
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
    close_on_exec(acceptor.native_handle());
    acceptor.set_option(asio::socket_base::reuse_address(true));
    if (shares_port)
        share_port(acceptor);
    acceptor.bind(where);
    acceptor.listen();
    return acceptor;
}

// Does not wait for a client; the acceptor is non-blocking. Linux closes the socket on exec from
// its beginning; a child that another thread forks elsewhere would keep the connection open.
template <class Socket, class Endpoint>
void accept(asio::basic_socket_acceptor<asio::generic::stream_protocol>& acceptor, Socket& client,
    Endpoint& peer, boost::system::error_code& error)
{
#if defined(ASIO_EWYK_HAS_PTHREAD) && !defined(ASIO_EWYK_HAS_LINUX)
    asio::generic::stream_protocol::endpoint from;
    auto socket = acceptor.accept(from, error);
    if (error)
        return;
    close_on_exec(socket.native_handle());
    peer.resize(from.size());
    std::memcpy(peer.data(), from.data(), from.size());
    native_socket const accepted = socket.release();
#else
    auto size = static_cast<socklen_t>(peer.capacity());
#if defined(ASIO_EWYK_HAS_LINUX)
    native_socket const accepted
        = ::accept4(acceptor.native_handle(), peer.data(), &size, SOCK_CLOEXEC);
    if (accepted == -1)
        return error.assign(errno, asio::error::get_system_category());
#else
    // Asio would tie it to the acceptor's completion port.
    native_socket const accepted = ::accept(acceptor.native_handle(), peer.data(), &size);
    if (accepted == INVALID_SOCKET)
        return error.assign(::WSAGetLastError(), asio::error::get_system_category());
    ::WSAEventSelect(accepted, nullptr, 0); // it inherits the acceptor's: see client_wait
    close_on_exec(accepted);
#endif
    peer.resize(std::min(static_cast<std::size_t>(size), peer.capacity()));
#endif
    try
    {
        client.assign(peer.protocol(), accepted, error);
    }
    catch (...)
    {
        close_native(accepted);
        throw;
    }
    if (error)
        close_native(accepted);
}

// The same connection with another executor. Closes it if that fails.
template <class Executor, class Socket, class Protocol>
Socket move_to(Executor const& ex, Socket& client, Protocol const& protocol)
{
    native_socket const native = client.release();
    try
    {
        return Socket(ex, protocol, native);
    }
    catch (...)
    {
        close_native(native);
        throw;
    }
}

} // namespace asio_ewyk::detail

#endif
