// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_LOOP_EVENT_LOOP_GROUP_HPP
#define ASIO_EWYK_LOOP_EVENT_LOOP_GROUP_HPP

#include <asio_ewyk/detail/os/cpu_quota.hpp>
#include <asio_ewyk/loop/context_group.hpp>
#include <asio_ewyk/loop/event_loop.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace asio_ewyk {

/** Event loops, one for each core or so, among which connections are distributed: Netty's
    `EventLoopGroup`.

    Threads are named `<name>-<n>-<m>`: the number of the group in the process, and of the loop in
    the group.

    @par Thread Safety
    Distinct objects: safe. Shared objects: safe, except for destruction, which is not allowed to
    a handler of the group.

    @par Example
    @snippet example/6_cookbook/event_loops.cpp groups
*/
class event_loop_group : public context_group<event_loop>
{
public:
    /** Starts no thread yet.

        Throws `std::invalid_argument` for a size of 0 and for options that cannot work, and
        `std::system_error` if a loop cannot be bound to its CPU.
    */
    explicit event_loop_group(std::size_t size = default_size(), event_loop_options options = {},
        chooser choose = {})
        : context_group(size, maker(std::move(options)), std::move(choose))
    {
    }

    /** Ends all loops, each after the handler that runs, and destroys the rest without running it.

        A handler of one loop may use objects of another: no loop is destroyed before all have ended
        and all handlers are destroyed.
    */
    ~event_loop_group()
    {
        for (event_loop& loop : *this)
            loop.stop();
        for (event_loop& loop : *this)
            loop.service_.join();
        for (event_loop& loop : *this)
            loop.end();
    }

    /// Two for each core, which is Netty's figure. On Linux a container counts as having the cores
    /// that its quota is worth. No-throw guarantee.
    static std::size_t default_size() noexcept { return 2 * detail::usable_cpus(); }

    /** Shuts all loops down at the same time, as `event_loop::shutdown_gracefully` does one.

        @returns whether all have ended. On a thread of the group, which cannot wait for itself, it
        returns at once.
    */
    template <class R1, class P1, class R2, class P2>
    bool shutdown_gracefully(std::chrono::duration<R1, P1> const& quiet_period,
        std::chrono::duration<R2, P2> const& timeout)
    {
        auto const deadline = detail::after(detail::saturated(timeout));
        for (event_loop& loop : *this)
            loop.service_.request_shutdown(detail::saturated(quiet_period), deadline);
        if (std::any_of(begin(), end(), [](event_loop& l) { return l.in_event_loop(); }))
            return terminated();
        bool all = true;
        for (event_loop& loop : *this)
            all = loop.service_.wait_for_end(deadline) && all;
        return all;
    }

    /// Shuts all loops down at the same time, as `event_loop::async_shutdown_gracefully` does one,
    /// and completes with success when all have ended. Throws what that throws.
    template <class R1, class P1, class R2, class P2, class CompletionToken>
    auto async_shutdown_gracefully(std::chrono::duration<R1, P1> const& quiet_period,
        std::chrono::duration<R2, P2> const& timeout, CompletionToken&& token)
    {
        std::vector<detail::event_loop_service*> loops;
        for (event_loop& loop : *this)
            loops.push_back(&loop.service_);
        return detail::async_shutdown(std::move(loops), detail::saturated(quiet_period),
            detail::saturated(timeout), std::forward<CompletionToken>(token));
    }

    /// Whether the shutdown of all has begun. No-throw guarantee.
    bool shutting_down() const noexcept
    {
        return std::all_of(begin(), end(), [](event_loop const& l) { return l.shutting_down(); });
    }

    /// Whether all have ended. No-throw guarantee.
    bool terminated() const noexcept
    {
        return std::all_of(begin(), end(), [](event_loop const& l) { return l.terminated(); });
    }

private:
    static std::function<std::unique_ptr<event_loop>(std::size_t)> maker(event_loop_options options)
    {
        static std::atomic<std::size_t> groups{0};
        options.name += '-' + std::to_string(groups.fetch_add(1));
        return [options = std::move(options)](std::size_t i) {
            return std::unique_ptr<event_loop>(new event_loop(options, i));
        };
    }
};

} // namespace asio_ewyk

#endif
