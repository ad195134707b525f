// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_LOOP_CHOOSER_HPP
#define ASIO_EWYK_LOOP_CHOOSER_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/loop/load_balance.hpp>
#include <asio_ewyk/loop/context_group.hpp>
#include <asio_ewyk/loop/event_loop.hpp>
#include <asio_ewyk/server/serve_control.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace asio_ewyk {

/** Chooses the event loop that has been least busy: for an `event_loop_group`, instead of turns.

    The load of a loop is the CPU time of its thread, over the last tenth of a second or so;
    a loop that has not started is idle. The loops do nothing for that: the chooser reads the
    clocks, and no more often than every 10 ms. What was given out since is estimated, so
    connections that come all at once are spread over the loops, and the less busy ones get
    more. Idle loops get the same number each, but not in turn.

    A loop that waits in a handler, for a lock or for a disk, uses no CPU time and looks idle. One
    that has ended is not chosen, unless all have. Where the system has no such
    clocks all loops look idle, and get the same number each. A connection stays with its loop:
    only new connections are given out by load.

    A copy is a chooser that has measured nothing yet, so one can be the pattern for the choosers of
    several groups.

    @par Thread Safety
    Distinct objects: safe. Shared objects: `operator()` is safe.

    @par Exception Safety
    Strong guarantee. `operator()` throws `std::bad_alloc`, and only on the first call
    for a group.

    @par Example
    `event_loop_group workers(4, {}, least_loaded());`

    @see event_loop::cpu_time
*/
class least_loaded
{
public:
    least_loaded()
        : state_(std::make_unique<state>())
    {
    }

    least_loaded(least_loaded const&)
        : least_loaded()
    {
    }

    least_loaded(least_loaded&&) noexcept = default;

    least_loaded& operator=(least_loaded other) noexcept
    {
        state_.swap(other.state_);
        return *this;
    }

    /// The number of the loop that is given the next connection.
    std::size_t operator()(context_group<event_loop> const& group) const
    {
        std::lock_guard const lock(state_->mutex);
        return state_->choose(group);
    }

private:
    using clock = std::chrono::steady_clock;

    struct state
    {
        std::size_t choose(context_group<event_loop> const& group);
        void measure(context_group<event_loop> const& group, clock::time_point now);

        std::mutex mutex; // guards all others
        std::optional<detail::load_balance> balance;
        std::vector<std::chrono::nanoseconds> cpu_time; // of each loop, at the last measurement
        std::vector<double> utilisation;                // since the one before
        clock::time_point measured;
    };

    static constexpr std::chrono::milliseconds interval{10};

    std::unique_ptr<state> state_;
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
    @snippet test/unit/least_connections.cpp least_connections

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

    least_connections(least_connections const& other) noexcept
        : least_connections(other.control_)
    {
    }

    least_connections& operator=(least_connections const&) = delete;

    /// The number of the context that is given the next connection.
    template <class Context>
    std::size_t operator()(context_group<Context> const& group) const
    {
        auto const open = control_.metrics().open_by_worker;
        // Relaxed: nothing else depends on where the search begins.
        std::size_t const first = last_.load(std::memory_order_relaxed) + 1;
        std::size_t chosen = first % group.size();
        std::size_t least = static_cast<std::size_t>(-1);
        for (std::size_t n = 0; n != group.size(); ++n)
        {
            std::size_t const i = (first + n) % group.size();
            std::size_t const here = i < open.size() ? open[i] : 0;
            if (here < least && !has_ended(group[i]))
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

    serve_control const control_;
    std::atomic<std::size_t> mutable last_ = static_cast<std::size_t>(-1); // any thread that asks
};

} // namespace asio_ewyk

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/impl/chooser.ipp>
#endif

#endif
