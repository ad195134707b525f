// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_LOOP_CHOOSER_HPP
#define ASIO_EWYK_LOOP_CHOOSER_HPP

#include <asio_ewyk/loop/context_group.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>

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
    /// A new one and a copy begin with the first context. No-throw guarantee.
    least_loaded() noexcept = default;
    least_loaded(least_loaded const&) noexcept {}
    least_loaded& operator=(least_loaded const&) noexcept { return *this; }

    /// The number of the context that is given the next connection.
    template <class Context>
    std::size_t operator()(context_group<Context> const& group) const noexcept
    {
        // Relaxed: nothing else depends on where the search begins.
        std::size_t const first = last_.load(std::memory_order_relaxed) + 1;
        std::size_t chosen = first % group.size();
        auto least = std::chrono::nanoseconds::max() / std::chrono::milliseconds(1);
        for (std::size_t n = 0; n != group.size(); ++n)
        {
            std::size_t const i = (first + n) % group.size();
            auto const load = group[i].load();
            auto const here
                = std::max(load.delay, load.average_delay) / std::chrono::milliseconds(1);
            bool ended = false; // a loop; other contexts can be run again
            if constexpr (requires { group[i].terminated(); })
                ended = group[i].terminated();
            if (here < least && !ended)
            {
                chosen = i;
                least = here;
            }
        }
        last_.store(chosen, std::memory_order_relaxed);
        return chosen;
    }

private:
    // The context that was chosen last: before the first one at the beginning.
    std::atomic<std::size_t> mutable last_ = std::numeric_limits<std::size_t>::max();
};

} // namespace asio_ewyk

#endif
