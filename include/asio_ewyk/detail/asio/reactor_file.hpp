// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ASIO_REACTOR_FILE_HPP
#define ASIO_EWYK_DETAIL_ASIO_REACTOR_FILE_HPP

#include <asio_ewyk/detail/config.hpp>

#include <boost/asio/io_context.hpp>

#if defined(ASIO_EWYK_DETAIL_WAIT_HOOK)
#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#endif

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// Whether that file of the system is the one by which the io_context waits for I/O, or may be the
// file of another one, or of a program's own. A descriptor that the io_context looks after is added
// to the file once more: the system says whether that is there already. Takes some microseconds.
ASIO_EWYK_COLD inline bool is_reactor_file([[maybe_unused]] asio::io_context& ioc,
    [[maybe_unused]] int file) noexcept
{
#if defined(ASIO_EWYK_DETAIL_WAIT_HOOK)
    int const event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (event < 0)
        return false;
    try
    {
        asio::posix::basic_stream_descriptor<asio::io_context::executor_type> const known(
            ioc, event);
        epoll_event none{};
        if (::epoll_ctl(file, EPOLL_CTL_ADD, event, &none) != 0)
            return errno == EEXIST;
        ::epoll_ctl(file, EPOLL_CTL_DEL, event, &none);
    }
    catch (std::exception const&)
    {
        ::close(event);
    }
#endif
    return false;
}

} // namespace asio_ewyk::detail

#endif
