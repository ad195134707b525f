// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_BLOCKING_SECTION_HPP
#define ASIO_EWYK_BLOCKING_SECTION_HPP

#include <asio_ewyk/detail/frame/call_frame.hpp>

namespace asio_ewyk {

/** Says that what follows, to the end of the scope, is going to block this thread.

    Where the right to produce stays with this thread while it runs a task, see
    `strategy_options::grace`, another thread takes it at once instead of after the grace. That goes
    for each context that this thread runs a task of, also where one runs inside of another.
    Everywhere else it has no effect: without a grace, with a strategy or an invocation type that
    keeps its thread, in a task of a `worker_pool`, on a thread that runs no task.

    It is optional: a task that blocks unannounced delays the others by the grace. Guards may be
    nested; the right comes back after the task, not after the scope. What a coroutine does after
    a `co_await` is another task, which needs a guard of its own. The idea is that of Java's
    `ForkJoinPool.ManagedBlocker` and of tokio's `block_in_place`.

    @par Thread Safety
    Belongs to the thread that made it.

    @par Exception Safety
    No-throw guarantee.

    @par Example
    @snippet example/1_tutorial/3_say_what_blocks.cpp blocking_section
*/
class [[nodiscard]] blocking_section
{
public:
    /// Some nanoseconds, and a wake-up where a thread takes over.
    blocking_section() noexcept { detail::call_frame::end_leases(); }

    blocking_section(blocking_section const&) = delete;
    blocking_section& operator=(blocking_section const&) = delete;
};

} // namespace asio_ewyk

#endif
