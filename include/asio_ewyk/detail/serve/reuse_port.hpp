// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVE_REUSE_PORT_HPP
#define ASIO_EWYK_DETAIL_SERVE_REUSE_PORT_HPP

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <cstddef>

#if !defined(_WIN32)
#include <sys/socket.h>
#endif

namespace asio_ewyk::detail {

// A settable socket option that Asio does not have: several sockets listen at the same port.
class reuse_port
{
public:
#if defined(SO_REUSEPORT)
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
#else
    template <class Protocol>
    int level(Protocol const&) const
    {
        throw boost::system::system_error(
            boost::asio::error::make_error_code(boost::asio::error::operation_not_supported));
    }

    template <class Protocol>
    int name(Protocol const&) const noexcept
    {
        return 0;
    }
#endif

    template <class Protocol>
    int const* data(Protocol const&) const noexcept
    {
        return &value_;
    }

    template <class Protocol>
    std::size_t size(Protocol const&) const noexcept
    {
        return sizeof value_;
    }

private:
    int value_ = 1;
};

} // namespace asio_ewyk::detail

#endif
