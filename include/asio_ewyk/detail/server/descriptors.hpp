// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVER_DESCRIPTORS_HPP
#define ASIO_EWYK_DETAIL_SERVER_DESCRIPTORS_HPP

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <utility>

#if defined(__linux__)
#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>
#elif !defined(_WIN32)
#include <fcntl.h>
#endif

// Sockets that a program which this one starts does not get. On Linux they are made so, by the
// system's own functions: Asio's leave a moment in which another thread may fork.

namespace asio_ewyk::detail {

namespace asio = boost::asio;

#if defined(__linux__)
// Closes what was not passed on.
class descriptor
{
public:
    explicit descriptor(int d) noexcept
        : value_(d)
    {
    }

    descriptor(descriptor const&) = delete;
    descriptor& operator=(descriptor const&) = delete;

    ~descriptor()
    {
        if (value_ != -1)
            ::close(value_);
    }

    // To a socket or an acceptor.
    template <class Protocol, class Socket>
    void pass(Protocol const& protocol, Socket& to, boost::system::error_code& error)
    {
        if (value_ == -1)
            error.assign(errno, asio::error::get_system_category());
        else
            to.assign(protocol, value_, error);
        if (!error)
            value_ = -1;
    }

private:
    int value_;
};
#endif

// Elsewhere: as soon as may be.
template <class Socket>
void close_on_exec([[maybe_unused]] Socket& socket) noexcept
{
#if !defined(__linux__) && !defined(_WIN32)
    ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
#endif
}

template <class Protocol>
void open(asio::basic_socket_acceptor<Protocol>& acceptor, Protocol const& protocol, bool inherited)
{
#if defined(__linux__)
    int const type = protocol.type() | (inherited ? 0 : SOCK_CLOEXEC);
    boost::system::error_code error;
    descriptor(::socket(protocol.family(), type, protocol.protocol()))
        .pass(protocol, acceptor, error);
    if (error)
        throw boost::system::system_error(error, "socket");
#else
    acceptor.open(protocol);
    if (!inherited)
        close_on_exec(acceptor);
#endif
}

// Does not wait for a client; the acceptor is non-blocking.
template <class Protocol, class Socket>
void accept(asio::basic_socket_acceptor<Protocol>& acceptor,
    [[maybe_unused]] Protocol const& protocol, Socket& client, typename Protocol::endpoint& peer,
    bool inherited, boost::system::error_code& error)
{
#if defined(__linux__)
    auto size = static_cast<socklen_t>(peer.capacity());
    descriptor accepted(::accept4(
        acceptor.native_handle(), peer.data(), &size, inherited ? 0 : SOCK_CLOEXEC));
    accepted.pass(protocol, client, error);
    if (!error)
        peer.resize(std::min<std::size_t>(size, peer.capacity()));
#else
    acceptor.accept(client, peer, error);
    if (!error && !inherited)
        close_on_exec(client);
#endif
}

} // namespace asio_ewyk::detail

#endif
