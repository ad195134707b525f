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
