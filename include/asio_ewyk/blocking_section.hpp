// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_BLOCKING_SECTION_HPP
#define ASIO_EWYK_BLOCKING_SECTION_HPP

#include <asio_ewyk/detail/frame/call_frame.hpp>

#include <cassert>

namespace asio_ewyk {

/** Says that what follows, to the end of the scope, is going to block this thread.

    Another thread takes over production at once, instead of after the grace
    (`strategy_options::grace`). That holds for each context that this thread runs a task of, also
    where one runs inside of another.

    In a `strategy_context` with `produce_consume` one task runs at a time. There other handlers run
    during the section, one at a time, on other threads. At its end the thread waits until no other
    handler runs, and goes on behind those that are ready by then. What the handler has deferred
    before the section waits until the handler is over. So what handlers share needs no strand, but
    may have changed across the section. During the section the thread does not work for the
    context: `dispatch` posts. When the guard is destroyed the thread must hold no mutex that other
    handlers lock. The last `run()` does not return before the end of the section.

    Elsewhere it has no effect: without a grace, with an invocation type that keeps its thread, in a
    `strategy_context` whose concurrency hint promises one thread, with `produce_consume` by
    `use_strategy`, with an executor of `produce_consume` in a context of another strategy, in a
    task of a `worker_pool`, on a thread that runs no task.

    The guard must be destroyed in the same task, and so not span a `co_await`; in a debug build
    that is asserted, with any strategy. With `produce_consume` the section may otherwise end only
    with `run()`, and other handlers run at the same time as those of this thread.

    The guard is optional: without it, a task that blocks delays the others by the grace. Guards may
    be nested, and only the outermost counts. With a grace, this thread may produce again after the
    task, not after the scope. What a coroutine does after a `co_await` is another task, which needs
    a guard of its own. The idea is that of Java's `ForkJoinPool.ManagedBlocker` and of tokio's
    `block_in_place`.

    @par Thread Safety
    Belongs to the thread that made it.

    @par Exception Safety
    No-throw guarantee.

    @par Example
    @snippet example/6_cookbook/say_what_blocks.cpp blocking_section
*/
class [[nodiscard]] blocking_section
{
public:
    /// Costs some nanoseconds, and a wake-up where a thread takes over.
    blocking_section() noexcept
        : task_(detail::call_frame::current_task())
        , entered_((detail::call_frame::end_leases(), detail::call_frame::enter_section(this)))
    {
    }

    /// Where one task runs at a time, waits until no other runs.
    ~blocking_section()
    {
        [[maybe_unused]] bool const same = detail::call_frame::current_task() == task_;
        [[maybe_unused]] bool const left = !entered_ || detail::call_frame::leave_section(this);
        assert(same && left && "a blocking_section must end in the task in which it began");
    }

    blocking_section(blocking_section const&) = delete;
    blocking_section& operator=(blocking_section const&) = delete;

private:
    detail::call_frame::task_id const task_;
    bool const entered_;
};

} // namespace asio_ewyk

#endif
