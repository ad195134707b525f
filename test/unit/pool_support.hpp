// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the tests of worker_pool and execution_strategy share: events to wait for, tasks and where
// they come from, and a system that will not start a thread.

#ifndef ASIO_EWYK_TEST_UNIT_POOL_SUPPORT_HPP
#define ASIO_EWYK_TEST_UNIT_POOL_SUPPORT_HPP

#include "../strategies.hpp"
#include "support.hpp"
#include <asio_ewyk/execution_strategy.hpp>
#include <asio_ewyk/worker_pool.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>

#if defined(__GLIBC__)
#include <pthread.h>
#endif

namespace support {

/// Happens once. wait() is false if it does not in time; the waiting task then goes on, so that a
/// test fails instead of hanging.
class event
{
public:
    void set()
    {
        std::lock_guard const lock(mutex_);
        set_ = true;
        // Under the lock: a thread that has seen the event may destroy it.
        changed_.notify_all();
    }

    bool wait(std::chrono::steady_clock::duration time = patience)
    {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, time, [this] { return set_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool set_ = false; // guarded by mutex_
};

/// How many have come to a point, and a way to wait until enough have.
class gathering
{
public:
    void arrive()
    {
        std::lock_guard const lock(mutex_);
        ++arrived_;
        changed_.notify_all();
    }

    bool wait_for(std::size_t n)
    {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, patience, [&] { return arrived_ >= n; });
    }

    bool arrive_and_wait_for(std::size_t n)
    {
        arrive();
        return wait_for(n);
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t arrived_ = 0; // guarded by mutex_
};

/// eventually(), for events that mostly are there at once and are waited for very often.
template <class Predicate>
bool soon(Predicate holds)
{
    for (int i = 0; i < 1000; ++i)
    {
        if (holds())
            return true;
        std::this_thread::yield();
    }
    return eventually(holds);
}

/// A task as a producer gives it.
class job
{
public:
    job() = default;

    template <std::invocable F>
    job(F f, ewyk::invocation_t i = ewyk::invocation.blocking)
      : function_(std::move(f)), invocation_(i)
    {
    }

    explicit operator bool() const noexcept { return static_cast<bool>(function_); }
    void operator()() { function_(); }
    ewyk::invocation_t invocation() const noexcept { return invocation_; }

private:
    std::function<void()> function_;
    ewyk::invocation_t invocation_;
};

static_assert(ewyk::produced_task<job>);

/// What jobs come from: any thread adds, a strategy takes. Sees whether two threads produce at
/// once.
class source
{
public:
    void add(job j)
    {
        std::lock_guard const lock(mutex_);
        jobs_.push_back(std::move(j));
    }

    /// Called inside of produce() when it has found nothing, before it says so.
    void when_empty(std::function<void()> f) { when_empty_ = std::move(f); }

    job produce()
    {
        inside_.enter();
        // Not guarded: a strategy makes what one call wrote visible to the next. TSan sees if not.
        ++calls_;
        job next = take();
        if (!next && when_empty_)
            when_empty_();
        inside_.leave();
        return next;
    }

    bool two_at_once() const noexcept { return inside_.seen(); }

    /// Not while the strategy produces.
    std::size_t calls() const noexcept { return calls_; }

private:
    job take()
    {
        std::lock_guard const lock(mutex_);
        if (jobs_.empty())
            return {};
        job next = std::move(jobs_.front());
        jobs_.pop_front();
        return next;
    }

    std::mutex mutex_;
    std::deque<job> jobs_; // guarded by mutex_
    std::function<void()> when_empty_;
    std::size_t calls_ = 0;
    overlap inside_;
};

/// Like a reactor: its produce() waits until there is a job or until it is closed.
class waiting_source
{
public:
    void add(job j)
    {
        std::lock_guard const lock(mutex_);
        jobs_.push_back(std::move(j));
        changed_.notify_all();
    }

    /// From now on it does not wait.
    void close()
    {
        std::lock_guard const lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }

    void open()
    {
        std::lock_guard const lock(mutex_);
        closed_ = false;
    }

    job produce()
    {
        inside_.enter();
        job next;
        {
            std::unique_lock lock(mutex_);
            ++waiting_;
            changed_.notify_all();
            changed_.wait_for(lock, patience, [this] { return closed_ || !jobs_.empty(); });
            --waiting_;
            if (!jobs_.empty())
            {
                next = std::move(jobs_.front());
                jobs_.pop_front();
            }
        }
        inside_.leave();
        return next;
    }

    /// Waits until a thread waits in produce() with nothing left to take.
    bool wait_until_drained()
    {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, patience, [this] { return waiting_ != 0 && jobs_.empty(); });
    }

    bool two_at_once() const noexcept { return inside_.seen(); }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<job> jobs_;    // guarded by mutex_
    bool closed_ = false;     // guarded by mutex_
    std::size_t waiting_ = 0; // guarded by mutex_
    overlap inside_;
};

/// A test case that is run with each strategy; see CONTEXT_TEST_CASE.
#define STRATEGY_TEST_CASE(name, s)                                                                \
    static void name##_with(::asio_ewyk::strategy_t s);                                            \
    BOOST_DATA_TEST_CASE(name, ::support::strategies(), each_strategy)                             \
    {                                                                                              \
        name##_with(each_strategy);                                                                \
    }                                                                                              \
    static void name##_with(::asio_ewyk::strategy_t s)

/// Makes a pool start that many threads and park them.
inline bool warm_up(ewyk::worker_pool& pool, std::size_t threads)
{
    if (pool.options().max_threads == 0)
        return true;
    gathering together;
    for (std::size_t i = 0; i != threads; ++i)
        pool.execute([&] { together.arrive_and_wait_for(threads); });
    // Parked is also: no longer inside a function that refers to this one's variables.
    return together.wait_for(threads)
        && eventually([&] { return pool.parked_threads() == threads; });
}

/// Gives functions to parked threads of a pool, as a strategy hands production over: at once, or
/// not at all. Waits for them when it is destroyed.
class hand_overs
{
public:
    explicit hand_overs(ewyk::worker_pool& pool)
      : threads_(ewyk::detail::pool_access::threads(pool))
    {
    }

    hand_overs(hand_overs const&) = delete;
    hand_overs& operator=(hand_overs const&) = delete;

    ~hand_overs() { threads_.leave(client_); }

    template <class F>
    bool try_execute(F f)
    {
        ewyk::detail::task* const t = ewyk::detail::make_task(std::move(f));
        bool const given = threads_.try_execute(client_, t);
        if (!given)
            t->destroy();
        return given;
    }

private:
    ewyk::detail::elastic_threads& threads_;
    ewyk::detail::pool_client client_{this};
};

/// Functions that hold a number of a pool's threads until released, which is before the pool ends.
class blockade
{
public:
    blockade(ewyk::worker_pool& pool, std::size_t threads) : threads_(threads)
    {
        for (std::size_t i = 0; i != threads; ++i)
            pool.execute([s = state_] {
                s->held.arrive();
                s->released.wait();
            });
    }

    blockade(blockade const&) = delete;
    blockade& operator=(blockade const&) = delete;

    ~blockade() { release(); }

    bool holds() { return state_->held.wait_for(threads_); }
    void release() { state_->released.set(); }

private:
    struct state
    {
        gathering held;
        event released;
    };

    std::size_t threads_;
    std::shared_ptr<state> state_ = std::make_shared<state>();
};

/// Collects what pool threads threw: for worker_pool_options::on_exception.
class catcher
{
public:
    void operator()(std::exception_ptr e)
    {
        std::lock_guard const lock(mutex_);
        try
        {
            std::rethrow_exception(e);
        }
        catch (std::exception const& x)
        {
            caught_.emplace_back(x.what());
        }
        changed_.notify_all();
    }

    /// What was caught, when that many exceptions have been or the time is over.
    std::vector<std::string> wait_for(std::size_t n)
    {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, patience, [&] { return caught_.size() >= n; });
        return caught_;
    }

    std::vector<std::string> caught() { return wait_for(0); }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::string> caught_; // guarded by mutex_
};

inline bool can_start_a_thread()
{
    try
    {
        std::thread([] {}).join();
        return true;
    }
    catch (std::system_error const&)
    {
        return false;
    }
}

/// While it lives the system starts no thread: none has room for the stack that each is to get.
/// Unlike a limit on processes this needs no rights, holds for root too, and ends at once.
class no_more_threads
{
public:
#if defined(__GLIBC__)
    no_more_threads()
    {
        ::pthread_getattr_default_np(&before_);
        pthread_attr_t huge;
        ::pthread_attr_init(&huge);
        ::pthread_attr_setstacksize(&huge, std::size_t{1} << (sizeof(std::size_t) * 8 - 4));
        ::pthread_setattr_default_np(&huge);
        ::pthread_attr_destroy(&huge);
        in_force_ = !can_start_a_thread();
    }

    ~no_more_threads()
    {
        lift();
        ::pthread_attr_destroy(&before_);
    }

    void lift() { ::pthread_setattr_default_np(&before_); }
#else
    void lift() {}
#endif

    no_more_threads(no_more_threads const&) = delete;
    no_more_threads& operator=(no_more_threads const&) = delete;

    /// False where there is no way to bring this about; then the test says so and ends.
    bool in_force() const
    {
        if (!in_force_)
            BOOST_TEST_MESSAGE("skipped: this system starts threads whatever the stack's size");
        return in_force_;
    }

private:
#if defined(__GLIBC__)
    pthread_attr_t before_;
#endif
    bool in_force_ = false;
};

/// Runs the context to its end, and counts the exceptions that leave run() on the way.
inline void run_and_count(ewyk::strategy_context& ctx, std::atomic<int>& caught)
{
    for (bool over = false; !over;)
        try
        {
            ctx.run();
            over = true;
        }
        catch (std::runtime_error const&)
        {
            ++caught;
        }
}

}

#endif
