// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_CLIENT_WAIT_HPP
#define ASIO_EWYK_DETAIL_OS_CLIENT_WAIT_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/windows.hpp>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include <utility>

#if defined(ASIO_EWYK_HAS_WINDOWS)
#include <boost/asio/windows/object_handle.hpp>
#endif

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// How a listener waits until its acceptor has a client. On Windows the acceptor's own wait fails at
// once (https://github.com/chriskohlhoff/asio/issues/478): there an event is waited for, which the
// system sets. A listener has at most one wait at a time.
class client_wait
{
public:
    using acceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol>;

#if defined(ASIO_EWYK_HAS_WINDOWS)
    explicit client_wait(acceptor& from)
        : from_(from)
        , ready_(from.get_executor())
    {
        WSAEVENT const event = ::WSACreateEvent();
        if (event == WSA_INVALID_EVENT)
            throw boost::system::system_error(
                ::WSAGetLastError(), asio::error::get_system_category(), "serve: an event");
        ready_.assign(event);
    }

    // Anew each time: then the event is set for a client that is there already.
    template <class Token>
    auto start(Token&& token)
    {
        ::WSAResetEvent(ready_.native_handle());
        ::WSAEventSelect(from_.native_handle(), ready_.native_handle(), FD_ACCEPT);
        return ready_.async_wait(std::forward<Token>(token));
    }

#else
    explicit client_wait(acceptor& from) noexcept
        : from_(from)
    {
    }

    template <class Token>
    auto start(Token&& token)
    {
        return from_.async_wait(asio::socket_base::wait_read, std::forward<Token>(token));
    }

#endif

    void close() noexcept
    {
        boost::system::error_code ignored; // it is closed all the same
#if defined(ASIO_EWYK_HAS_WINDOWS)
        ready_.close(ignored);
#endif
        from_.close(ignored);
    }

private:
    acceptor& from_;
#if defined(ASIO_EWYK_HAS_WINDOWS)
    asio::windows::object_handle ready_;
#endif
};

} // namespace asio_ewyk::detail

#endif
