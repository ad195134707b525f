// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_LEAST_IN_TURN_HPP
#define ASIO_EWYK_DETAIL_LOOP_LEAST_IN_TURN_HPP

#include <asio_ewyk/loop/context_group.hpp>

#include <atomic>
#include <cstddef>
#include <limits>

namespace asio_ewyk::detail {

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

} // namespace asio_ewyk::detail

#endif
