// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_OVERLOAD_LOAD_SHEDDER_HPP
#define ASIO_EWYK_OVERLOAD_LOAD_SHEDDER_HPP

#include <asio_ewyk/impl/load_shedder.hpp>
#include <asio_ewyk/metrics.hpp>
#include <asio_ewyk/overload/shedding_executor.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/asio/execution/executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace asio_ewyk {

namespace asio = boost::asio;

/** How a `load_shedder` is to be. Every field has a default.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct load_shedder_options
{
    /// How long work may wait where there is more of it than can be done. What is not refused has
    /// waited for twice as long at most, once the overload has lasted for `interval`. The default
    /// is the one of WeChat's DAGOR. More than 0.
    std::chrono::nanoseconds max_queue_delay = std::chrono::milliseconds(20);

    /// How long everything that begins must have waited for more than `max_queue_delay`, before
    /// anything is refused: a burst is no overload. The default is the one of CoDel, RFC 8289. At
    /// least 0.
    std::chrono::nanoseconds interval = std::chrono::milliseconds(100);

    /// The most pieces of work that may wait; 0: no limit. Beyond that the executor throws
    /// `queue_full_error`, and `async_admit` reports it when its turn comes.
    std::size_t max_waiting = 0;
};

/** Refuses work that has waited for too long in a queue, so that the rest is done in time.

    A queue with more work than can be done becomes longer and longer: everything is done, and all
    of it too late. A shedder measures how long each piece of work waits until it begins. While that
    is more than it should be, and not for a moment only, it refuses what has waited longest. What
    was begun is not touched.

    It stands in front of any executor: of a context, a pool, a loop, a strand, also of Asio's own.
    There should be one for each queue: work that begins at once in one queue would hide that
    another one is too long.

    The decision is CoDel's, as Facebook's thread pools have it ("Fail at Scale", ACM Queue 13, 8).

    @par Thread Safety
    Distinct objects: safe. Shared objects: safe.

    @par Example
    @snippet test/unit/load_shedder.cpp shed
*/
class load_shedder
{
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// Throws `std::invalid_argument`, which names the option, if that is out of its range.
    explicit load_shedder(load_shedder_options const& options = {})
        : options_(checked(options))
    {
    }

    load_shedder(load_shedder const&) = delete;
    load_shedder& operator=(load_shedder const&) = delete;

    /// Nothing of its executors must be left, neither queued nor running.
    ~load_shedder() = default;

    /** Adds how long events wait in that `io_context`: a request in the kernel's buffer waits as
        one in a queue does. For servers. It is not known which socket has waited for how long; so
        while the delay is too long, everything is refused for a moment.

        For that it has two connected sockets, and sends a byte through the context while it is
        used, one at a time. A handler receives it, which `run()` counts among the others. Call it
        once, before the shedder is used. A context that nobody runs, or that has been stopped, is
        one that stands still: that is an overload. When it has been destroyed, nothing is added;
        while it is, no other thread may submit or run something of the shedder. Throws
        `boost::system::system_error` if there are no descriptors.
    */
    void observe(asio::io_context& context) { shedding_.observe(context); }

    /// An executor over another one: see `shedding_executor`.
    template <class Executor>
        requires asio::execution::is_executor<Executor>::value
    shedding_executor<Executor> executor(Executor const& inner) noexcept
    {
        return {inner, shedding_};
    }

    /// An executor over the one of an execution context.
    template <class Context>
        requires(!asio::execution::is_executor<Context>::value)
    auto executor(Context& context) noexcept
    {
        return executor(context.get_executor());
    }

    /** Waits in the queue of the completion handler's associated executor, and says whether the
        work is to be done: `co_await shedder.async_admit(token)`. So a refused client can be given
        an answer.

        The signature of the completion handler is `void(boost::system::error_code)`. Errors:

        - `asio::error::try_again`: there is an overload, and this has waited for too long;
        - `asio::error::timed_out`: the deadline was over;
        - `asio::error::no_buffer_space`: more than `max_waiting` others wait.

        The handler must have an associated executor, as coroutines have. Throws what that executor
        throws. It cannot be cancelled.
    */
    template <class Token>
    auto async_admit(Token&& token)
    {
        return async_admit(time_point::max(), std::forward<Token>(token));
    }

    /// Likewise, with a time at which it is to begin.
    template <class Token>
    auto async_admit(time_point deadline, Token&& token)
    {
        return asio::async_initiate<Token, void(boost::system::error_code)>(
            detail::initiate_admit{&shedding_, deadline}, token);
    }

    /// Whether work has waited for more than `max_queue_delay` all the time of the last `interval`.
    /// False where none has begun for an interval, unless an observed context stands still.
    /// No-throw guarantee.
    bool overloaded() const noexcept
    {
        return shedding_.overloaded(std::chrono::steady_clock::now());
    }

    /// No-throw guarantee.
    shed_metrics metrics() const noexcept
    {
        return {shedding_.refused(), shedding_.late(), shedding_.full(), shedding_.delay(),
            overloaded()};
    }

    /// As they were given. No-throw guarantee.
    load_shedder_options const& options() const noexcept { return options_; }

private:
    static load_shedder_options const& checked(load_shedder_options const& o)
    {
        if (o.max_queue_delay <= std::chrono::nanoseconds::zero())
            throw std::invalid_argument("max_queue_delay must be more than 0");
        if (o.interval < std::chrono::nanoseconds::zero())
            throw std::invalid_argument("interval must be at least 0");
        return o;
    }

    load_shedder_options const options_;
    detail::shedding shedding_{options_.max_queue_delay, options_.interval, options_.max_waiting};
};

} // namespace asio_ewyk

#endif
