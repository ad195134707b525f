// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_LOOP_EVENT_LOOP_EXECUTOR_HPP
#define ASIO_EWYK_LOOP_EVENT_LOOP_EXECUTOR_HPP

#include <asio_ewyk/detail/asio/basic_executor.hpp>
#include <asio_ewyk/detail/asio/service_traits.hpp>
#include <asio_ewyk/detail/config.hpp>

#include <boost/asio/execution/executor.hpp>

#include <memory>

namespace asio_ewyk {

namespace detail {

class event_loop_service;

using event_loop_executor_traits = service_traits<event_loop_service, false>;

} // namespace detail

/** Runs functions on the thread of an `event_loop`.

    With `blocking.possibly`, the default, `execute` calls the function at once on that thread. With
    `blocking.never`, and on any other thread, the function becomes a task; tasks of one thread run
    in the order in which it submitted them. After the loop has ended the function is destroyed.

    `asio::require` sets `blocking` (`possibly`, `never`), `relationship`, `outstanding_work` and
    `allocator`; `asio::query` tells these, `context` and `mapping`. 8 bytes; 16 with
    `outstanding_work.tracked`.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe; const members are safe.

    @par Exception Safety
    Only `execute` throws: what allocation and the function's move throw, `queue_full_error`, and
    `std::system_error` if the loop's thread cannot be started; it is tried again the next time.
*/
using event_loop_executor =
    detail::basic_executor<detail::event_loop_executor_traits, std::allocator<void>, false>;

} // namespace asio_ewyk

#endif
