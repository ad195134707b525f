// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_STRATEGY_EXECUTOR_HPP
#define ASIO_EWYK_STRATEGY_EXECUTOR_HPP

#include <asio_ewyk/detail/asio/basic_executor.hpp>
#include <asio_ewyk/detail/asio/service_traits.hpp>
#include <asio_ewyk/detail/config.hpp>

#include <boost/asio/execution/executor.hpp>

#include <memory>

namespace asio_ewyk {

class strategy_service;

namespace detail {

using strategy_executor_traits = service_traits<strategy_service, true>;

} // namespace detail

/** Runs functions for a `strategy_context`, or for an `io_context` with `use_strategy`.

    | `execute` with…      | on a thread that runs a task of the context | anywhere else  |
    |----------------------|---------------------------------------------|----------------|
    | `blocking.possibly`  | calls the function at once                  | becomes a task |
    | `blocking.never`     | becomes a task                              | becomes a task |

    Tasks wait in the queue of the `io_context`. The completion of an I/O object or a timer is a
    task too, which runs on the thread that has found it, unless the strategy gives it to the pool.
    An exception of a function that was called at once leaves the task around it, as with
    `io_context`.

    `asio::require` sets `blocking` (`possibly`, `never`), `relationship`, `outstanding_work`,
    `allocator`, `strategy` and `invocation`; `asio::query` tells these, `context` and `mapping`.
    Executors are equal if every one of these is. 8 bytes; 16 with `outstanding_work.tracked`.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe; const members are safe.

    @par Exception Safety
    Only `execute` throws: what allocation and the function's move throw.

    @par Example
    @snippet example/6_cookbook/say_what_blocks.cpp properties

    @see strategy_context, any_executor
*/
using strategy_executor =
    detail::basic_executor<detail::strategy_executor_traits, std::allocator<void>, false>;

} // namespace asio_ewyk

#endif
