// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_ANY_EXECUTOR_HPP
#define ASIO_EWYK_ANY_EXECUTOR_HPP

#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy.hpp>

#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>

namespace asio_ewyk {

/** `asio::any_io_executor` that also carries `strategy` and `invocation`.

    `asio::require`, `prefer` and `query` of these reach the executor inside. An `any_executor`
    takes executors that know both properties: `strategy_executor`, and adaptors over it such as
    strands. (`asio::any_io_executor` takes a `strategy_executor` too; what was set before stays in
    force, but cannot be changed or asked for any more.)

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe; const members are safe.

    @par Exception Safety
    As `asio::any_io_executor`: construction from an executor may allocate, and `execute` throws
    what that of the executor inside throws.

    @par Example
    @snippet example/6_cookbook/say_what_blocks.cpp any_executor
*/
using any_executor = boost::asio::execution::any_executor<
    boost::asio::execution::context_as_t<boost::asio::execution_context&>,
    boost::asio::execution::blocking_t::never_t,
    boost::asio::execution::prefer_only<boost::asio::execution::blocking_t::possibly_t>,
    boost::asio::execution::prefer_only<boost::asio::execution::outstanding_work_t::tracked_t>,
    boost::asio::execution::prefer_only<boost::asio::execution::outstanding_work_t::untracked_t>,
    boost::asio::execution::prefer_only<boost::asio::execution::relationship_t::fork_t>,
    boost::asio::execution::prefer_only<boost::asio::execution::relationship_t::continuation_t>,
    strategy_t, invocation_t>;

} // namespace asio_ewyk

#endif
