// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_LOOP_CHOOSER_HPP
#define ASIO_EWYK_LOOP_CHOOSER_HPP

#include <asio_ewyk/loop/context_group.hpp>
#include <asio_ewyk/server/serve_control.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>
#include <utility>

namespace asio_ewyk {

namespace detail {

// Chooses the context that has the least of something. Equals come in turn, and what has ended does
// not, unless all have. Any thread. A copy begins anew.
class least_in_turn
{
public:
    least_in_turn() = default;
    least_in_turn(least_in_turn const&) noexcept {}
    least_in_turn& operator=(least_in_turn const&) noexcept { return *this; }

    // `measure(i)` says how much the context number i has.
    template <class Context, class Measure>
    std::size_t choose(context_group<Context> const& group, Measure measure) const
    {
        // Relaxed: nothing else depends on where the search begins.
        std::size_t const first = last_.load(std::memory_order_relaxed) + 1;
        std::size_t chosen = first % group.size();
        std::size_t least = std::numeric_limits<std::size_t>::max();
        for (std::size_t n = 0; n != group.size(); ++n)
        {
            std::size_t const i = (first + n) % group.size();
            if (std::size_t const here = measure(i); here < least && !has_ended(group[i]))
            {
                chosen = i;
                least = here;
            }
        }
        last_.store(chosen, std::memory_order_relaxed);
        return chosen;
    }

private:
    template <class Context>
    static bool has_ended(Context const& context) noexcept
    {
        if constexpr (requires { context.terminated(); })
            return context.terminated();
        else
            return false;
    }

    // The context that was chosen last: before the first one at the beginning.
    std::atomic<std::size_t> mutable last_ = std::numeric_limits<std::size_t>::max();
};

} // namespace detail

/** Chooses the context whose tasks wait least: for an `event_loop_group` or any other
    `context_group`, instead of turns.

    That is told by `load()`, in whole milliseconds. Where no tasks wait as long as that, contexts
    come in turn; one that is behind, or whose thread is stuck in a handler, gets less or nothing. A
    loop that has ended is not chosen, unless all have. A connection stays with its context: only
    new connections are given out by load.

    A copy is a chooser for itself, so one can be the pattern for the choosers of several groups.

    @par Thread Safety
    Distinct objects: safe. Shared objects: `operator()` is safe.

    @par Exception Safety
    No-throw guarantee.

    @par Example
    `event_loop_group workers(4, {}, least_loaded());`

    @see event_loop::load
*/
class least_loaded
{
public:
    /// The number of the context that is given the next connection.
    template <class Context>
    std::size_t operator()(context_group<Context> const& group) const noexcept
    {
        return least_.choose(group, [&](std::size_t i) {
            auto const load = group[i].load();
            return static_cast<std::size_t>(
                std::max(load.delay, load.average_delay) / std::chrono::milliseconds(1));
        });
    }

private:
    detail::least_in_turn least_;
};

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
