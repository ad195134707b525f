// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_OFFLOAD_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_OFFLOAD_HPP

#include "request.hpp"

#include <asio_ewyk/loop/event_loop.hpp>
#include <asio_ewyk/switch_to.hpp>
#include <asio_ewyk/worker_pool.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>

#include <cstddef>

namespace http_server {

namespace asio = boost::asio;

/* An offload says which requests are answered elsewhere than where they were read. All but
   `no_offload` have

   | expression    | meaning                                                                    |
   |---------------|----------------------------------------------------------------------------|
   | `takes(r)`    | is the request to be answered elsewhere?                                   |
   | `leave()`     | to be awaited; what follows runs there, until the session switches home    |

   A session has a copy, so it is small and refers to what the arrangement owns.
*/

/// Every request is answered where it was read. Sessions are compiled as if there was no offload.
struct no_offload
{
};

/// Requests that block go to a pool, the others cost a comparison.
class offload_what_blocks
{
public:
    explicit offload_what_blocks(asio_ewyk::worker_pool& pool) noexcept : pool_(&pool) {}

    static bool takes(request const& r) noexcept
    {
        return r.todo == action::sleep || r.todo == action::cpu;
    }

    auto leave() const { return asio_ewyk::switch_to(pool_->get_executor()); }

private:
    asio_ewyk::worker_pool* pool_;
};

/** Places for requests that wait. A connection that finds none waits for one, and meanwhile does
    not read.

    @par Thread Safety
    Shared objects: safe, but for close().
*/
class request_queue
{
public:
    using executor_type = asio_ewyk::event_loop::executor_type;

    /// A place that was taken, until destruction: also if its owner is destroyed while it waits.
    class place
    {
    public:
        explicit place(request_queue& queue) noexcept : queue_(queue) {}
        ~place() { queue_.places_.try_receive([](error_code) {}); }
        place(place const&) = delete;
        place& operator=(place const&) = delete;

    private:
        request_queue& queue_;
    };

    request_queue(executor_type executor, std::size_t size) : places_(executor, size) {}

    /// Has taken a place when it completes: make a `place` of it.
    asio::awaitable<void, executor_type> enter()
    {
        // Where there is room, it saves a round trip through the loop.
        if (!places_.try_send(error_code()))
            co_await places_.async_send(error_code(), asio::deferred);
    }

    /// Ends all that wait in enter().
    void close() { places_.close(); }

private:
    asio::experimental::concurrent_channel<executor_type, void(error_code)> places_;
};

/// All requests go to a pool, by way of a bounded queue.
class offload_by_queue
{
public:
    offload_by_queue(request_queue& queue, asio_ewyk::worker_pool& pool) noexcept
      : queue_(&queue), pool_(&pool)
    {
    }

    static bool takes(request const&) noexcept { return true; }

    asio::awaitable<void, request_queue::executor_type> leave() const
    {
        co_await queue_->enter();
        request_queue::place const waiting(*queue_);
        co_await asio_ewyk::switch_to(pool_->get_executor());
    }

private:
    request_queue* queue_;
    asio_ewyk::worker_pool* pool_;
};

}

#endif
