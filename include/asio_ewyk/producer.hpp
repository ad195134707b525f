// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_PRODUCER_HPP
#define ASIO_EWYK_PRODUCER_HPP

#include <asio_ewyk/invocation.hpp>

#include <concepts>

namespace asio_ewyk {

/** What a producer gives: a task that can be moved, tested and called.

    | expression         | type                  | meaning                                  |
    |--------------------|-----------------------|------------------------------------------|
    | `bool(t)`          | `bool`                | false: there is nothing to do            |
    | `t()`              | anything              | runs the task, once; may throw           |
    | `t.invocation()`   | `invocation_t`        | optional; without it: `blocking`         |
    | `t.strategy()`     | `strategy_t`          | optional; without it: the default        |

    `std::function<void()>` is one.
*/
template <class T>
concept produced_task = std::move_constructible<T> && std::constructible_from<bool, T const&>
    && std::invocable<T&>;

/** Something that tasks come from: a selector, the frames of a multiplexed connection, a queue.

    `p.produce()` returns the next task, or an empty one when there is none, and may wait for one.
    An `execution_strategy` calls it on one thread at a time, with what one call wrote visible to
    the next, so it needs no lock of its own. The term is Jetty's
    (`org.eclipse.jetty.util.thread.ExecutionStrategy.Producer`).

    @par Thread Safety
    None is asked of a producer: it is not called by two threads at once.
*/
template <class P>
concept producer = requires(P& p) {
    { p.produce() } -> produced_task;
};

namespace detail {

template <class Task>
constexpr invocation_t invocation_of(Task const& task) noexcept
{
    if constexpr (requires { { task.invocation() } -> std::convertible_to<invocation_t>; })
        return task.invocation();
    else
        return invocation_t::blocking;
}

} // namespace detail

} // namespace asio_ewyk

#endif
