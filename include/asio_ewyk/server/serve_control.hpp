// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_SERVER_SERVE_CONTROL_HPP
#define ASIO_EWYK_SERVER_SERVE_CONTROL_HPP

#include <asio_ewyk/metrics.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>

namespace asio_ewyk {

namespace detail {

class serving;

// What the operations with the same serve_control count.
class serve_figures
{
public:
    // Calls `f` with the figures; it does not throw, and locks nothing.
    template <class F>
    void change(F f) noexcept
    {
        std::lock_guard const lock(mutex_);
        f(now_);
    }

    // There are at least so many workers. Throws std::bad_alloc.
    void need_workers(std::size_t n)
    {
        std::lock_guard const lock(mutex_);
        if (now_.open_by_worker.size() < n)
            now_.open_by_worker.resize(n);
    }

    serve_metrics now() const
    {
        std::lock_guard const lock(mutex_);
        return now_;
    }

    // Limits that any thread may set at any time, and that stand in for the options then.
    static constexpr std::size_t not_set = std::numeric_limits<std::size_t>::max();
    std::atomic<std::size_t> max_connections = not_set;
    std::atomic<std::size_t> max_accept_rate = not_set;

private:
    std::mutex mutable mutex_; // held for moments, within the operation's
    serve_metrics now_;        // guarded by it
};

} // namespace detail

/** A handle to a `serve`, to see what it does and to change its limits: give it a copy as
    `serve_options::control`.

    Copies are the same handle, which may be used before the operation begins and after it has
    ended, and does not keep the operation alive. Several operations with the same one, at a time or
    one after the other, add up; then worker _i_ is the _i_-th of the workers of each.

    @par Thread Safety
    Distinct objects: safe. Shared objects: safe, except for assignment and destruction.

    @par Exception Safety
    All functions: strong guarantee; `std::bad_alloc` is all that they throw.

    @par Example
    @snippet test/unit/server/serve_control.cpp metrics

    @see serve_options, serve_metrics
*/
class serve_control
{
public:
    serve_control()
        : figures_(std::make_shared<detail::serve_figures>())
    {
    }

    // Not movable: there is always something that it is a handle to.
    serve_control(serve_control const&) noexcept = default;
    serve_control& operator=(serve_control const&) noexcept = default;

    /// What was counted so far.
    serve_metrics metrics() const { return figures_->now(); }

    /** Changes the limit of connections of each operation with this handle, in place of its
        `serve_options::max_connections`; 0: no limit.

        Clients that wait are served within a second, if the new limit allows it. Where more
        connections are open already they go on, and none is accepted until there are fewer.
        No-throw guarantee.
    */
    void max_connections(std::size_t n) noexcept
    {
        figures_->max_connections = std::min(n, figures_->not_set - 1);
    }

    /// Changes how many connections each operation with this handle accepts a second, in place of
    /// its `serve_options::max_accept_rate`; 0: no limit. No-throw guarantee.
    void max_accept_rate(std::size_t per_second) noexcept
    {
        figures_->max_accept_rate = std::min(per_second, figures_->not_set - 1);
    }

private:
    friend detail::serving;

    std::shared_ptr<detail::serve_figures> figures_;
};

} // namespace asio_ewyk

#endif
