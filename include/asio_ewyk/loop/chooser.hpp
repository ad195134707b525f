// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_LOOP_CHOOSER_HPP
#define ASIO_EWYK_LOOP_CHOOSER_HPP

#include <asio_ewyk/detail/loop/least_in_turn.hpp>
#include <asio_ewyk/loop/context_group.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace asio_ewyk {

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

} // namespace asio_ewyk

#endif
