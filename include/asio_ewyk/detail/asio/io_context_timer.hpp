// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ASIO_IO_CONTEXT_TIMER_HPP
#define ASIO_EWYK_DETAIL_ASIO_IO_CONTEXT_TIMER_HPP

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// A timer of the library's own. A steady_timer would have any_io_executor instantiated for the
// executor of io_context, in programs that use no other executor than this library's.
using io_context_timer = asio::basic_waitable_timer<std::chrono::steady_clock,
    asio::wait_traits<std::chrono::steady_clock>, asio::io_context::executor_type>;

} // namespace asio_ewyk::detail

#endif
