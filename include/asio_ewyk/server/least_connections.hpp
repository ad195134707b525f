// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_SERVER_LEAST_CONNECTIONS_HPP
#define ASIO_EWYK_SERVER_LEAST_CONNECTIONS_HPP

#include <asio_ewyk/detail/loop/least_in_turn.hpp>
#include <asio_ewyk/loop/context_group.hpp>
#include <asio_ewyk/server/serve_control.hpp>

#include <cstddef>
#include <utility>

namespace asio_ewyk {

/** Chooses the context with the fewest open connections, of those that `serve` counts with a
    handle: for an `event_loop_group` or any other `context_group`, instead of turns.

    For connections that live long and whose numbers would become unequal: turns give each
    context the same number of new ones only. Among equals they come in turn. A loop that has ended
    is not chosen, unless all have. How much a connection has to do does not count: for that see
    least_loaded.

    The group has to be the workers of each `serve` with that handle. Where several acceptors ask at
    the same moment they may be told the same context.

    A copy is a chooser with the same handle.

    @par Thread Safety
    Distinct objects: safe. Shared objects: `operator()` is safe.

    @par Exception Safety
    Strong guarantee. `operator()` throws `std::bad_alloc`.

    @par Example
    @snippet test/unit/server/least_connections.cpp least_connections

    @see serve_metrics::open_by_worker
*/
class least_connections
{
public:
    /// No-throw guarantee.
    explicit least_connections(serve_control control) noexcept
        : control_(std::move(control))
    {
    }

    /// The number of the context that is given the next connection.
    template <class Context>
    std::size_t operator()(context_group<Context> const& group) const
    {
        auto const open = control_.metrics().open_by_worker;
        return least_.choose(group, [&](std::size_t i) { return i < open.size() ? open[i] : 0; });
    }

private:
    serve_control control_;
    detail::least_in_turn least_;
};

} // namespace asio_ewyk

#endif
