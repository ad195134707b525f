// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_WORKER_POOL_HPP
#define ASIO_EWYK_WORKER_POOL_HPP

#include <asio_ewyk/detail/asio/basic_executor.hpp>
#include <asio_ewyk/detail/metrics/delay_meter.hpp>
#include <asio_ewyk/detail/observe/registration.hpp>
#include <asio_ewyk/detail/pool/elastic_threads.hpp>
#include <asio_ewyk/detail/task/timed_run.hpp>
#include <asio_ewyk/metrics.hpp>
#include <asio_ewyk/worker_pool_options.hpp>

#include <boost/asio/execution/executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/config.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace asio_ewyk {

namespace asio = boost::asio;

class worker_pool;

namespace detail {

class pool_access;

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

/** Threads that come with the work and go with it, and that can take over at once.

    - `execute` gives a task to a parked thread; else the task waits in a queue, and a new thread is
      started while there are fewer than `max_threads`.
    - A strategy hands production over to a parked thread.
    - A thread that was parked for `idle_timeout` ends, down to `min_threads`.

    Strategies and contexts that share a pool take turns, so that the backlog of one does not delay
    the others. The pool corresponds to Jetty's `QueuedThreadPool` with its
    `ReservedThreadExecutor`; unlike there a parked thread is never held back from queued tasks.

    The pool is an execution context of Asio like `asio::thread_pool`: `asio::post(pool, f)`,
    `asio::co_spawn(pool, ...)`, strands. An I/O object that is constructed with it works too, on a
    hidden reactor thread of Asio's; better give I/O objects a context of their own.

    The pool's threads have the signal mask, the priority, the scheduling class and the CPUs of the
    thread that makes the pool. Where the process may not raise priorities, a thread of the pool
    that is started by a thread of a lower priority has that lower one.

    @par Thread Safety
    Distinct objects: safe. Shared objects: safe, except for destruction.

    @par Exception Safety
    What a task throws goes to `worker_pool_options::on_exception`.

    @par Example
    @snippet example/6_cookbook/share_a_pool.cpp pool

    @see strategy_context, execution_strategy
*/
class alignas(detail::target_alignment) worker_pool
    : public asio::execution_context
{
public:
    /** Runs functions on the pool's threads.

        With `blocking.possibly`, the default, `execute` runs the function at once on a thread of
        the pool; with `blocking.never`, and on any other thread, it goes to the pool. An executor
        with `outstanding_work.tracked` keeps wait() waiting.

        When the pool's queue is full, `execute` runs the function here if the policy is
        `caller_runs` and `blocking.possibly` is set; else it destroys it and throws
        `queue_full_error`.

        @par Thread Safety
        Distinct objects: safe. Shared objects: unsafe; const members are safe.

        @par Exception Safety
        Only `execute` throws: what allocation and the function's move throw, `queue_full_error`,
        and what the function throws if it is run here as the queue is full.
    */
    using executor_type =
        detail::basic_executor<detail::worker_pool_executor_traits, std::allocator<void>, false>;

    /// Starts no thread. Throws `std::invalid_argument`, which names the field and its range, for
    /// options that cannot work.
    explicit worker_pool(worker_pool_options options = {});

    /// Calls stop(), and waits for the tasks that run. Must not be called by a task of the pool,
    /// except by `std::exit` in one, where it waits for the others.
    ~worker_pool();

    /// An executor that runs functions on the pool's threads.
    executor_type get_executor() noexcept { return executor_type(*this); }

    /** Runs f() on a thread of the pool.

        When the queue is full: with `caller_runs` f() is called here; with `reject` it is
        destroyed and `queue_full_error` is thrown. After stop() it is destroyed.
        Throws what allocation and the copy of f throw (strong guarantee), and what f() throws if it
        is called here.
    */
    template <class F>
    void execute(F&& f);

    /// Refuses new tasks and destroys those that wait, not those that run. No-throw guarantee.
    void stop() noexcept;

    /// Waits until nothing waits or runs and no executor with `outstanding_work.tracked` is left,
    /// or until stop(). Must not be called by a task of the pool.
    void wait();

    /// Calls wait(), then stop(), and then waits until the threads have ended.
    void join();

    /** Before and after a fork, as for any `execution_context`: with `fork_prepare` it waits for
        what runs and waits, and ends the threads, which the child would not have; later they come
        again in both processes. No other thread may use the pool meanwhile. No thread is started
        any more, so a task that runs must not wait for another one. On a thread of the pool it
        waits for nothing: then the child may replace its program, or end, but not use the pool.
    */
    void notify_fork(fork_event event);

    /// What the pool was made with, `automatic` filled in. No-throw guarantee.
    worker_pool_options const& options() const noexcept { return threads_.options(); }

    /** Changes the limits. `max_threads` may not be more than what the pool was made with, nor 0
        unless it was made with that.

        Threads that are too many end after the task that they run. Threads that produce go on, and
        one is kept in addition to them. Throws `std::invalid_argument`, which names the field and
        its range, and `std::bad_alloc` (strong guarantee).
    */
    void limit(worker_pool_limits const& limits) { threads_.limit(limits); }

    /// The current limits. No-throw guarantee.
    worker_pool_limits limits() const noexcept { return threads_.limits(); }

    // Figures of the moment; each may be out of date when it is read. No-throw guarantee.

    /// Threads that live or are being started.
    std::size_t threads() const noexcept { return threads_.threads(); }

    /// Whether a task waits, all threads are busy, and no other can be started. Then more work only
    /// makes the queue longer.
    bool low_on_threads() const noexcept { return threads_.low(); }

    /// Threads that have nothing to do.
    std::size_t parked_threads() const noexcept { return threads_.parked(); }

    /// Tasks that wait for a thread.
    std::size_t queued() const noexcept { return threads_.queued(); }

    /// Threads started so far.
    std::size_t threads_started() const noexcept { return threads_.started(); }

    /// How often the system would not start a thread. The task in question stays queued, and the
    /// next call that needs a thread tries again.
    std::size_t start_failures() const noexcept { return threads_.start_failures(); }

    /// All of these figures, and all counters. Throws `std::bad_alloc`.
    pool_metrics metrics() const;

    /// How much waits for a thread, of all that use the pool, and for how long. Costs about as much
    /// as reading the clock, so each request may call it, on any thread. No-throw guarantee.
    load_metrics load() const noexcept;

private:
    friend class detail::pool_access;
    friend class detail::pool_work;
    friend struct detail::worker_pool_executor_traits;
    friend class detail::inspectable_part<worker_pool>;

    // What keeps the pool busy: tracked executors and tasks. Relaxed: a thread that starts work
    // has some, or is about to submit; only the end of work must be seen.
    void work_started() noexcept { work_.fetch_add(1, std::memory_order_relaxed); }
    void work_finished() noexcept;

    void submit(detail::task* t, bool caller_may_run);

    // For the stall monitor and dump().
    std::size_t waiting() const noexcept { return client_.size(); }
    void tell_state(detail::text_sink& out) const noexcept;

    void stamp(detail::task* t) noexcept
    {
        if (times_ || detail::trace_recorder::get())
            t->submitted = std::chrono::steady_clock::now();
    }

    mutable detail::delay_meter delay_;
    std::unique_ptr<detail::task_times> const times_; // null without the option `timing`
    detail::elastic_threads threads_;
    detail::pool_client client_; // tasks that came through the pool's own interface

    // Relaxed up, so that an executor copies cheaply: a thread that counts up holds a count
    // already, or races with wait() in the caller's own program. Sequentially consistent down.
    std::atomic<std::size_t> work_{0};

    std::mutex mutex_;
    std::condition_variable idle_; // work_ fell to zero, or stop()
    bool stopped_ = false;         // guarded by mutex_

    detail::inspectable_part<worker_pool> const shown_{*this};
    detail::registration const watch_;
};

} // namespace asio_ewyk

#include <asio_ewyk/impl/worker_pool.hpp>

#endif
