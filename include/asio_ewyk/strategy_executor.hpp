// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_STRATEGY_EXECUTOR_HPP
#define ASIO_EWYK_STRATEGY_EXECUTOR_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/executor/basic_executor.hpp>
#include <asio_ewyk/detail/os/io_context_work.hpp>

#include <boost/asio/execution/executor.hpp>

#include <memory>
#include <utility>

namespace asio_ewyk {

class strategy_service;

namespace detail {

class strategy_work : public io_context_work
{
public:
    explicit strategy_work(strategy_service& service) noexcept;
};

struct BOOST_SYMBOL_VISIBLE strategy_executor_traits
{
    using target_type = strategy_service;
    using work = strategy_work;
    static constexpr bool has_strategy = true;
    static constexpr bool captures = true;

    static asio::io_context& context(strategy_service& service) noexcept;
    static bool running_in_this_thread(strategy_service& service) noexcept;
#if defined(ASIO_EWYK_DETAIL_TS_EXECUTORS)
    static void work_started(strategy_service& service) noexcept;
    static void work_finished(strategy_service& service) noexcept;
#endif

    template <class F, class Allocator>
    static void execute(
        strategy_service& service, submission s, F&& f, Allocator const& allocator);
};

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

    It answers and requires `blocking` (`possibly`, `never`), `relationship`, `outstanding_work`,
    `allocator`, `strategy` and `invocation`, and answers `context` and `mapping`. Executors are
    equal if every one of these is. 8 bytes; 16 with `outstanding_work.tracked`.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe; const members are safe.

    @par Exception Safety
    Only `execute` throws: what allocation and the function's move throw.

    @par Example
    @snippet example/1_tutorial/3_say_what_blocks.cpp properties

    @see strategy_context, any_executor
*/
using strategy_executor =
    detail::basic_executor<detail::strategy_executor_traits, std::allocator<void>, false>;

} // namespace asio_ewyk

#endif
