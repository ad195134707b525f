// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_IO_CONTEXT_WORK_HPP
#define ASIO_EWYK_DETAIL_OS_IO_CONTEXT_WORK_HPP

#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/require.hpp>

#include <type_traits>
#include <utility>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// Outstanding work of an io_context: an executor of it that counts as such.
using io_context_work = std::decay_t<decltype(asio::require(
    std::declval<asio::io_context::executor_type>(), asio::execution::outstanding_work.tracked))>;

} // namespace asio_ewyk::detail

#endif
