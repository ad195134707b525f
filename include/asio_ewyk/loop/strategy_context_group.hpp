// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_LOOP_STRATEGY_CONTEXT_GROUP_HPP
#define ASIO_EWYK_LOOP_STRATEGY_CONTEXT_GROUP_HPP

#include <asio_ewyk/detail/os/cpu_binding.hpp>
#include <asio_ewyk/detail/os/cpu_quota.hpp>
#include <asio_ewyk/detail/os/home_process.hpp>
#include <asio_ewyk/detail/os/signals.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/loop/context_group.hpp>
#include <asio_ewyk/strategy_context.hpp>
#include <asio_ewyk/worker_pool.hpp>

#include <boost/asio/executor_work_guard.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace asio_ewyk {

namespace detail {

// A base, so that it outlives the contexts, which are in another one.
struct shared_pool
{
    worker_pool pool;
};

} // namespace detail

/** Several ``strategy_context``s that share a pool, each with a thread that begins to produce for
    it: Jetty's `SelectorManager`.

    The threads start with the group, and wait for work until stop() or join(). They come in
    addition to those of the pool, `strategy_options::max_threads`, are named `<name>-loop-<n>`,
    and call the hooks of the pool's threads, too.

    What a handler throws goes to `strategy_options::on_exception`, on whichever thread it was;
    if that is empty `std::terminate` is called, as with `asio::thread_pool`.

    @par Thread Safety
    Distinct objects: safe. Shared objects: safe, except for join() and destruction, which are not
    allowed to a handler of the group either, but for `std::exit` in one.

    @par Example
    @snippet example/2_models/jetty.cpp model

    @see context_group, strategy_context, worker_pool
*/
class strategy_context_group : private detail::shared_pool,
                               public context_group<strategy_context>
{
public:
    /** Makes that many contexts, and starts their threads.

        Throws `std::invalid_argument` for a size of 0 and for options that cannot work, and
        `std::system_error` if a thread cannot be started.
    */
    explicit strategy_context_group(
        std::size_t size, strategy_options const& options = {}, chooser choose = {})
        : detail::shared_pool{worker_pool(options.pool())}
        , context_group(
              size,
              [&](std::size_t) {
                  return std::make_unique<strategy_context>(shared_pool::pool, options.strategy,
                      options.grace, options.policy, options.concurrency);
              },
              std::move(choose))
    {
        start();
    }

    /// As above, with default_size() contexts for the options' `max_threads`.
    explicit strategy_context_group(strategy_options const& options = {}, chooser choose = {})
        : strategy_context_group(default_size(options.max_threads), options, std::move(choose))
    {
    }

    /// Calls stop(), waits for the handlers that run, and destroys the rest without running them. A
    /// handler of one context may own objects of another.
    ~strategy_context_group()
    {
        stop_and_join();
        for (strategy_context& context : *this)
            context.end();
    }

    /** A context for each two cores, and not more than one for 16 threads of the pool; at least 1.

        That is Jetty's rule: one thread finds work for several that do it, and what finds too
        little to do only wakes more often. Cores are counted as by
        `event_loop_group::default_size`. If `max_threads` is 0, each context is one thread, and
        there is one for each core. No-throw guarantee.
    */
    static std::size_t default_size(
        std::size_t max_threads = worker_pool_options{}.max_threads) noexcept
    {
        std::size_t const cpus = detail::usable_cpus();
        return max_threads == 0 ? cpus
                                : std::max<std::size_t>(1, std::min(cpus / 2, max_threads / 16));
    }

    /// The pool of all. No-throw guarantee.
    worker_pool& pool() noexcept { return shared_pool::pool; }
    /// The pool of all. No-throw guarantee.
    worker_pool const& pool() const noexcept { return shared_pool::pool; }

    /// Stops each context, as `strategy_context::stop` does; waits for nothing. No-throw guarantee.
    void stop() noexcept
    {
        for (strategy_context& context : *this)
            context.stop();
    }

    /** Waits until the contexts have no outstanding work, or were stopped, and their threads have
        ended. Each ends for itself: what is given to one that has ended does not run.

        Afterwards it does nothing.
    */
    void join()
    {
        work_.clear();
        for (std::thread& t : threads_)
            if (t.joinable())
                t.join();
        threads_.clear();
    }

private:
    void start()
    try
    {
        for (strategy_context& context : *this)
            work_.emplace_back(context.get_executor());
        threads_.reserve(size());
        detail::unbound const from_cpu; // of a loop whose thread makes the group
        for (std::size_t i = 0; i != size(); ++i)
            threads_.emplace_back([this, i] { work(i); });
    }
    catch (...)
    {
        stop_and_join();
        throw;
    }

    void stop_and_join() noexcept
    {
        if (!home_.is_here())
        {
            for (std::thread& t : threads_)
                detail::make_anew(t);
            return;
        }
        stop();
        // A handler may end the process, by std::exit(): its context's thread does not come back.
        for (std::size_t i = 0; i != threads_.size(); ++i)
            if ((*this)[i].service_.is_in_handler())
            {
                (*this)[i].service_.end();
                std::exchange(threads_[i], {}).detach();
            }
        join();
    }

    void work(std::size_t i)
    {
        worker_pool_options const& options = pool().options();
        detail::name_this_thread(options.name, i, "-loop");
        detail::unblock_signal(options.stack_signal);
        if (options.on_thread_start)
            options.on_thread_start();
        while (!(*this)[i].stopped())
            try
            {
                (*this)[i].run();
            }
            catch (...)
            {
                if (!options.on_exception)
                    std::terminate();
                options.on_exception(std::current_exception());
            }
        if (options.on_thread_stop)
            options.on_thread_stop();
    }

    std::vector<asio::executor_work_guard<strategy_context::executor_type>> work_; // until join()
    std::vector<std::thread> threads_;
    detail::home_process const home_;
};

} // namespace asio_ewyk

#endif
