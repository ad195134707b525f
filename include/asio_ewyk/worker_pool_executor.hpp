// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_WORKER_POOL_EXECUTOR_HPP
#define ASIO_EWYK_WORKER_POOL_EXECUTOR_HPP

#include <asio_ewyk/detail/asio/basic_executor.hpp>

#include <boost/asio/execution/executor.hpp>
#include <boost/config.hpp>

#include <memory>
#include <utility>

namespace asio_ewyk {

class worker_pool;

namespace detail {

// Keeps worker_pool::wait() waiting. Moved-from: counts nothing.
class pool_work
{
public:
    explicit pool_work(worker_pool& pool) noexcept;
    pool_work(pool_work const& other) noexcept;
    pool_work(pool_work&& other) noexcept : pool_(std::exchange(other.pool_, nullptr)) {}

    pool_work& operator=(pool_work other) noexcept
    {
        std::swap(pool_, other.pool_);
        return *this;
    }

    ~pool_work();

private:
    worker_pool* pool_;
};

struct BOOST_SYMBOL_VISIBLE worker_pool_executor_traits
{
    using target_type = worker_pool;
    using work = pool_work;
    static constexpr bool has_strategy = false;
    static constexpr bool captures = false; // the caller may run it: the queue may be full

    static worker_pool& context(worker_pool& pool) noexcept { return pool; }
    static bool running_in_this_thread(worker_pool& pool) noexcept;
    static void work_started(worker_pool& pool) noexcept;
    static void work_finished(worker_pool& pool) noexcept;

    template <class F, class Allocator>
    static void execute(worker_pool& pool, submission s, F&& f, Allocator const& allocator);
};

} // namespace detail

/** Runs functions on the threads of a `worker_pool`.

    With `blocking.possibly`, the default, `execute` runs the function at once on a thread of the
    pool; with `blocking.never`, and on any other thread, it goes to the pool. An executor with
    `outstanding_work.tracked` keeps `worker_pool::wait()` waiting.

    When the pool's queue is full, `execute` runs the function here if the policy is `caller_runs`
    and `blocking.possibly` is set; else it destroys it and throws `queue_full_error`.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe; const members are safe.

    @par Exception Safety
    Only `execute` throws: what allocation and the function's move throw, `queue_full_error`, and
    what the function throws if it is run here as the queue is full.
*/
using worker_pool_executor =
    detail::basic_executor<detail::worker_pool_executor_traits, std::allocator<void>, false>;

} // namespace asio_ewyk

#endif
