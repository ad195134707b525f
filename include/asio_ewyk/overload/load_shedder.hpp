// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_OVERLOAD_LOAD_SHEDDER_HPP
#define ASIO_EWYK_OVERLOAD_LOAD_SHEDDER_HPP

#include <asio_ewyk/detail/overload/shedding.hpp>
#include <asio_ewyk/detail/utility/checked_option.hpp>
#include <asio_ewyk/metrics.hpp>

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <type_traits>
#include <utility>

namespace asio_ewyk {

namespace asio = boost::asio;

/** Options of a `load_shedder`. Every field has a default.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct load_shedder_options
{
    /// How long work may wait where there is more of it than can be done. What is not refused has
    /// waited for twice as long at most, once the overload has lasted for `interval`. The default
    /// is the one of WeChat's DAGOR.
    /// @range more than 0
    std::chrono::nanoseconds max_queue_delay = std::chrono::milliseconds(20);

    /// How long everything that begins must have waited for more than `max_queue_delay`, before
    /// anything is refused: a burst is no overload. The default is the one of CoDel, RFC 8289.
    /// @range at least 0
    std::chrono::nanoseconds interval = std::chrono::milliseconds(100);
};

/** Refuses work that has waited for too long in a queue, so that the rest is done in time.

    A queue with more work than can be done becomes longer and longer: everything is done, and all
    of it too late. A shedder measures how long each piece of work waits until it begins. While that
    is more than it should be, and not for a moment only, it refuses what has waited longest. What
    was begun is not touched.

    The queue is that of any executor: of a context, a pool, a loop, a strand, also of Asio's own.
    There should be a shedder for each queue: work that begins at once in one queue would hide that
    another one is too long.

    The decision is CoDel's, as Facebook's thread pools have it ("Fail at Scale", ACM Queue 13, 8).

    @par Thread Safety
    Distinct objects: safe. Shared objects: safe.

    @par Example
    @snippet test/unit/overload/load_shedder.cpp shed
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

    /// No async_admit() may be pending, unless its handler will be destroyed without being run.
    ~load_shedder() = default;

    /** Also measures how long ready sockets wait, in the kernel and in that `io_context`: the wait
        is added to that in the queue. Servers need this, because their requests wait in sockets
        first. The delay of a single socket is not known; so while the measured delay is too long,
        everything is refused.

        For that the shedder has two connected sockets, and sends a byte through the context while
        work is admitted, one at a time. A handler receives the byte, which `run()` counts among the
        others. Call this once, before the shedder is used. A context that nobody runs, or that has
        been stopped, stands still: that is an overload. When the context has been destroyed,
        nothing is added; during its destruction no other thread may submit or run something of the
        shedder. Throws `boost::system::system_error` if there are no descriptors.
    */
    void observe(asio::io_context& context) { shedding_.observe(context); }

    /** Waits in the queue of the completion handler's associated executor, and says whether the
        work is to be done: `co_await shedder.async_admit(token)`. So a refused client can be given
        an answer.

        The signature of the completion handler is `void(boost::system::error_code)`. Errors:

        - `asio::error::try_again`: there is an overload, and this has waited for too long;
        - `asio::error::timed_out`: the deadline was over.

        The handler must have an associated executor, as coroutines have. Throws what that executor
        throws. The operation cannot be cancelled.
    */
    template <class Token>
    auto async_admit(Token&& token)
    {
        return async_admit(time_point::max(), std::forward<Token>(token));
    }

    /// As above, with a deadline: the time by which the work is to begin.
    template <class Token>
    auto async_admit(time_point deadline, Token&& token)
    {
        return asio::async_initiate<Token, void(boost::system::error_code)>(
            [this, deadline]<class Handler>(Handler handler) {
                auto const executor = asio::get_associated_executor(handler);
                static_assert(
                    !std::is_same_v<std::remove_const_t<decltype(executor)>, asio::system_executor>,
                    "the completion handler needs an associated executor: see asio::bind_executor");
                auto const allocator = asio::get_associated_allocator(handler);
                auto begin = [this, deadline, submitted = std::chrono::steady_clock::now(),
                                 h = std::move(handler)]() mutable {
                    // The handler may own the shedder, so nothing touches it after that call.
                    auto const error
                        = shedding_.judge(submitted, deadline, std::chrono::steady_clock::now());
                    std::move(h)(error);
                };
                asio::post(executor, asio::bind_allocator(allocator, std::move(begin)));
            },
            token);
    }

    /// Whether work has waited for more than `max_queue_delay` all the time of the last `interval`.
    /// False where none has begun for an interval, unless an observed context stands still.
    /// No-throw guarantee.
    bool overloaded() const noexcept
    {
        return shedding_.overloaded(std::chrono::steady_clock::now());
    }

    /// What was refused so far: see shed_metrics. No-throw guarantee.
    shed_metrics metrics() const noexcept { return shedding_.metrics(); }

    /// The options that the constructor was given. No-throw guarantee.
    load_shedder_options const& options() const noexcept { return options_; }

private:
    static load_shedder_options const& checked(load_shedder_options const& o)
    {
        detail::check_option(o.max_queue_delay > o.max_queue_delay.zero(),
            "load_shedder_options::max_queue_delay", "more than 0", o.max_queue_delay);
        detail::check_option(o.interval >= o.interval.zero(), "load_shedder_options::interval",
            "at least 0", o.interval);
        return o;
    }

    load_shedder_options const options_;
    detail::shedding shedding_{options_.max_queue_delay, options_.interval};
};

} // namespace asio_ewyk

#endif
