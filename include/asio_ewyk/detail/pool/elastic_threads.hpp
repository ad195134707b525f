// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_POOL_ELASTIC_THREADS_HPP
#define ASIO_EWYK_DETAIL_POOL_ELASTIC_THREADS_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/metrics/counter.hpp>
#include <asio_ewyk/detail/observe/trace_point.hpp>
#include <asio_ewyk/detail/os/home_process.hpp>
#include <asio_ewyk/detail/os/scheduling.hpp>
#include <asio_ewyk/detail/os/signals.hpp>
#include <asio_ewyk/detail/pool/parked_threads.hpp>
#include <asio_ewyk/detail/pool/pool_client.hpp>
#include <asio_ewyk/detail/watch/back_off.hpp>
#include <asio_ewyk/metrics.hpp>
#include <asio_ewyk/worker_pool_options.hpp>

#include <boost/config.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace asio_ewyk::detail {

// Throws std::invalid_argument, which names the field and its range. Fills in `automatic`.
worker_pool_options checked(worker_pool_options options);

// The mechanics of worker_pool: threads that are started for tasks, and end when there are none.
//
// A thread of the pool takes tasks from the queue, parks if that is empty, and ends when it was
// parked for long. A submitter gives its task to a parked thread; else it queues the task, and
// starts a thread unless max_threads are there or enough are on their way. Parked threads serve
// tasks and requests to produce alike, so none is held back while tasks wait
// (jetty/jetty.project#13187).
class BOOST_SYMBOL_VISIBLE elastic_threads
{
public:
    enum class outcome
    {
        accepted,  // a thread has the task, or the task waits for one
        full,      // refused, still the caller's: the queue is full, or the pool has no threads
        stopped,   // refused, still the caller's: the pool was stopped, or the client leaves
        no_thread, // the task waits, and all threads produce, or there is none
    };

    explicit elastic_threads(worker_pool_options options);
    ~elastic_threads();

    worker_pool_options const& options() const noexcept { return options_; }

    // Whether the pool has no threads at all, by its options. tell_if_it_has_none(): a context's
    // task is late, and no caller is there to go on; said on stderr, once in a process.
    bool has_none() const noexcept { return options_.max_threads == 0; }
    void tell_if_it_has_none() noexcept;

    // The present limits. limit() throws std::invalid_argument, which names the field and its
    // range.
    worker_pool_limits limits() const noexcept;
    void limit(worker_pool_limits const& limits);

    // Threads that are started from now on get the signal mask of this thread.
    void take_signal_mask() noexcept;

    bool low() const noexcept { return low_.load(); }

    // Starts a thread if tasks wait and no thread is there: the system may have refused one before.
    void retry_start() noexcept
    {
        if (queued_.load() != 0 && threads_.load() == 0)
            start_for_queue();
    }

    // Counts one more thread as producing, if one is left for tasks then. Threads that produce, or
    // are asked to, may wait inside a producer without limit; if all threads did that, the tasks
    // that producers give to the pool would wait for ever (jetty/jetty.project#1802, #13187).
    bool add_producer_if_one_is_left() noexcept
    {
        std::size_t n = producers_.load();
        while (n + 1 < max_threads_.load())
            if (producers_.compare_exchange_weak(n, n + 1))
                return true;
        return false;
    }
    bool has_one_left() const noexcept
    {
        return threads_.load() != 0 && producers_.load() + 1 < max_threads_.load();
    }
    void add_producer() noexcept { producers_.fetch_add(1); }
    void remove_producer() noexcept { producers_.fetch_sub(1); }
    bool all_produce() const noexcept { return producers_.load() >= threads_.load(); }

    // To a parked thread. False if there is none: then one more is started for the next time,
    // without a lock held.
    bool try_execute(pool_client& client, task* t) noexcept
    {
        if (try_give(client, t))
            return true;
        start_reserve();
        return false;
    }

    // As try_execute(), but starts no thread and takes no lock.
    bool try_give(pool_client& client, task* t) noexcept
    {
        std::size_t const thread = claim_parked();
        if (thread == parked_threads::none)
            return false;
        give(thread, client, t);
        return true;
    }

    // Whether a parked or new thread could be had to produce. `is_counted`: the place among the
    // producers is there already. A moment late.
    bool may_have_thread(bool is_counted) const noexcept
    {
        return queued_.load(std::memory_order_relaxed) == 0 && !stopping_.load()
            && (is_counted
                || producers_.load(std::memory_order_relaxed) + 1
                    < max_threads_.load(std::memory_order_relaxed))
            && (threads_.load(std::memory_order_relaxed)
                    < max_threads_.load(std::memory_order_relaxed)
                || parked_.size() != 0);
    }

    // Starts a thread that parks for the next time, if none is parked or on its way.
    void keep_one_parked() noexcept
    {
        if (parked_.size() == 0)
            start_reserve();
    }

    // `bounded`: max_queue applies. `runs_back`: the caller runs the task if no thread can be had,
    // so after a refusal by the system no thread need be asked for yet.
    outcome execute(pool_client& client, task* t, bool bounded = true, bool runs_back = false);

    // A waiting task of the client; null if it has none. The calling thread sees to it that the
    // client does not leave meanwhile.
    task* take(pool_client& client) noexcept;

    // Destroys the client's tasks that wait, and waits for those that run on other threads. From a
    // task of the client only where that task ends the process.
    void leave(pool_client& client);

    // Waits until the client has no tasks but the `own` ones that the calling thread itself runs,
    // or until `enough` is not 0, after end_await(). False if the deadline came first.
    bool await(pool_client& client, std::size_t own, std::atomic<std::size_t> const& enough,
        time_point deadline);
    void end_await();

    // False in the child of a fork that was not announced, where the threads are not there: then
    // stop(), leave() and the destructor wait for nothing.
    bool is_at_home() const noexcept { return home_.is_here(); }

    // Refuses new tasks, destroys the waiting ones, lets the threads end. Does not wait.
    void stop() noexcept;

    // stop(), and waits for the running tasks.
    void stop_and_wait();

    // Before a fork, whose child has none of the threads: lets these run what waits, and end. False
    // on a thread of the pool, which would wait for itself: then the fork is as one that was not
    // announced.
    bool prepare_fork();

    // Whether this thread has prepared a fork, and is to call end_fork().
    bool prepares_fork() const noexcept { return forks_.load() == std::this_thread::get_id(); }

    // After the fork, in both processes: threads come again when they are needed. Between the two
    // calls only tasks of the pool may use it.
    void end_fork(bool is_child) noexcept;

    // Present figures, for any thread.
    bool stopping() const noexcept { return stopping_.load(); }
    std::size_t threads() const noexcept { return threads_.load(); }
    std::size_t available() const noexcept // parked, or not started yet
    {
        std::size_t const max = max_threads_.load();
        return max - std::min(max, threads_.load()) + parked_.size();
    }
    std::size_t max_threads() const noexcept { return max_threads_.load(); }
    std::size_t parked() const noexcept { return parked_.size(); }
    std::size_t queued() const noexcept { return queued_.load(); }
    std::uint64_t taken() const noexcept { return queue_.taken(); } // from the queue so far
    std::size_t started() const noexcept { return started_.load(); }
    std::size_t start_failures() const noexcept { return start_failures_.load(); }

    // The submitter of a task that found the queue full: it has refused the task, or runs it.
    void count_refused() noexcept { refused_.add(); }
    void count_run_by_caller() noexcept { run_by_caller_.add(); }

    // All figures of the threads and of the queue. The present ones are read one after the other,
    // and each is cut so that no thread is in two of them.
    pool_metrics metrics() const noexcept;

    void report(std::exception_ptr error) noexcept;

    // Runs a task of a client on this thread, which has pinned the client; unpins it.
    void run(pool_client& client, task* t) noexcept;

private:
    struct worker;

    bool may_start() const noexcept { return !all_end() && threads_.load() < max_threads_.load(); }

    // Under mutex_: whether there are more threads than limit() has allowed since; but one that
    // does not produce is left for tasks.
    bool has_one_too_many() const noexcept
    {
        return threads_.load() > max_threads_.load() && threads_.load() > producers_.load() + 1;
    }

    // Under mutex_, after each change of queue_.
    void queue_changed() noexcept
    {
        queued_.store(queue_.size());
        if (queue_.size() == 0 && low_.load(std::memory_order_relaxed))
            low_.store(false);
    }

    // Under mutex_: a task waits, and no thread can come.
    void mark_low() noexcept
    {
        if (low_.load(std::memory_order_relaxed))
            return;
        low_.store(true);
        times_low_.add();
    }

    // Under mutex_: whether more tasks wait than threads are about to look for one, and one more
    // thread is allowed.
    bool lacks_thread() const noexcept { return may_start() && arriving_ < queue_.size(); }

    // Whether threads end as soon as they find no task.
    bool all_end() const noexcept { return stopping_.load() || forks_.load() != std::thread::id(); }

    void wake_parked() noexcept;
    void join_threads();
    void forget_threads() noexcept;

    // A claimed thread is given a task, or woken without one, to look in the queue.
    std::size_t claim_parked() noexcept;
    void give(std::size_t thread, pool_client& client, task* t) noexcept;
    void wake_for_queue(std::size_t thread) noexcept;
    void start_reserve() noexcept;
    std::size_t reserve_slot() noexcept;
    bool start(std::size_t slot) noexcept;
    bool start_one(std::size_t& slot) noexcept;
    bool drop_one() noexcept;
    void release(pool_client& client) noexcept;
    void start_for_queue() noexcept;
    void thread_main(std::size_t slot);
    bool next(std::size_t slot, pool_client*& client, task*& t);
    void retire(std::size_t slot) noexcept;
    void free_slot(std::size_t slot) noexcept;

    home_process home_;

    // The pool that has started this thread; null elsewhere.
    static inline thread_local elastic_threads const* of_this_thread_ = nullptr;

    worker_pool_options const options_;

    // At first those of the thread that has made the pool.
    signal_mask signals_; // guarded by mutex_
    scheduling const scheduling_;

    // Which threads are parked. Any thread.
    parked_threads parked_;

    std::mutex join_mutex_; // threads are joined by one caller at a time
    std::mutex mutable mutex_;
    std::condition_variable changed_; // a start ended, or a client's last task

    // Twice max_threads: a thread that ends keeps its slot until its last hook has returned and its
    // thread-local objects are gone, and no thread waits for it. A worker is made under mutex_ for
    // the first thread in its slot; a thread that has claimed another one may read that slot
    // without.
    std::vector<std::unique_ptr<worker>> workers_;
    std::size_t max_queue_;    // guarded by mutex_
    fair_queue queue_;         // guarded by mutex_
    std::thread ended_;        // guarded by mutex_: the last one that has all but ended
    std::size_t starting_ = 0; // guarded by mutex_: calls of start() under way
    back_off start_pause_;     // guarded by mutex_
    std::size_t arriving_ = 0; // guarded by mutex_: threads that have yet to look in the queue

    // Written under mutex_, read anywhere.
    std::atomic<std::size_t> max_threads_; // at most options_.max_threads
    std::atomic<std::size_t> min_threads_;
    std::atomic<std::chrono::nanoseconds> idle_timeout_;
    std::atomic<bool> low_{false}; // on threads
    std::atomic<bool> stopping_{false};
    std::atomic<std::thread::id> forks_{}; // the thread that prepares a fork
    std::atomic<std::size_t> queued_{0};
    std::atomic<std::size_t> threads_{0};
    std::atomic<std::size_t> arriving_hint_{0}; // arriving_, to be read without the lock
    std::atomic<std::size_t> started_{0};
    std::atomic<std::size_t> start_failures_{0};

    own_counter most_queued_; // written under mutex_
    own_counter times_low_;   // written under mutex_

    // Threads that produce, or are asked to. Written by any thread.
    std::atomic<std::size_t> producers_{0};

    shared_counter refused_;
    shared_counter run_by_caller_;
    shared_counter exceptions_;
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/pool/elastic_threads.ipp>
#endif

#endif
