// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_IDLE_CALLERS_HPP
#define ASIO_EWYK_DETAIL_ENGINE_IDLE_CALLERS_HPP

#include <asio_ewyk/detail/observe/trace_point.hpp>
#include <asio_ewyk/detail/os/home_process.hpp>
#include <asio_ewyk/detail/os/parker.hpp>
#include <asio_ewyk/detail/task/task.hpp>

#include <boost/intrusive/list.hpp>

#include <atomic>
#include <cstddef>
#include <mutex>

namespace asio_ewyk::detail {

// A caller of run() that waits for something to do; or a thread at the end of a blocking_section,
// which waits for the right to produce, the permit to run handlers where one runs at a time.
struct idle_caller : boost::intrusive::list_base_hook<>
{
    parker sleep;
    task* job = nullptr; // written by the thread that claims the caller; null: look for work
};

// Threads that are parked: the callers inside run(), of which the last one to park is claimed
// first; or threads at the end of a section, first come, first served.
//
// Each thread at the end of a section has a wake-up sent; the producer, which runs that, passes its
// right to the first. A thread that gives the right up looks afterwards whether a thread waits here
// (any()), and a thread that comes adds itself before it looks whether the right is free: Dekker.
class idle_callers
{
public:
    idle_callers() = default;
    idle_callers(idle_callers const&) = delete;
    idle_callers& operator=(idle_callers const&) = delete;

    // In the child of a fork, where another thread may have held the lock, and the stacks of the
    // callers that were parked may be other threads' by now.
    void forget_others() noexcept
    {
        make_anew(mutex_);
        make_anew(parked_);
        size_.store(0);
    }

    // The caller itself: other threads may claim it from now on.
    void park(idle_caller& c) noexcept
    {
        std::lock_guard const lock(mutex_);
        parked_.push_front(c);
        size_.fetch_add(1);
    }

    // The thread at the end of a section: other threads may claim it, after all that are parked.
    // The entry lives until another thread has woken this one.
    void park_last(idle_caller& c) noexcept
    {
        {
            std::lock_guard const lock(mutex_);
            parked_.push_back(c);
            size_.fetch_add(1);
        }
        test_point();
    }

    // The caller itself: other threads claim it no more. False if one has claimed it already, and
    // wakes it.
    bool withdraw(idle_caller& c) noexcept
    {
        std::lock_guard const lock(mutex_);
        if (!c.is_linked())
            return false;
        parked_.erase(parked_.iterator_to(c));
        size_.fetch_sub(1);
        return true;
    }

    // Any thread: how many are parked.
    std::size_t parked() const noexcept { return size_.load(); }
    bool any() const noexcept { return size_.load() != 0; }

    // Any thread: wakes the first with a job; null has it look for work, or is the right that the
    // calling thread passes on. False if none is parked.
    bool wake_one(task* job) noexcept { return parked() != 0 && wake_first(job); }
    bool wake_first(task* job) noexcept
    {
        idle_caller* c = nullptr;
        {
            std::lock_guard const lock(mutex_);
            if (parked_.empty())
                return false;
            c = &claim();
        }
        test_point();
        if (job)
            trace_point(trace_event::give, job);
        c->job = job;
        c->sleep.unpark();
        return true;
    }

    // Any thread: wakes all callers that are parked now, to look for work.
    void wake_all() noexcept
    {
        if (parked() == 0)
            return;
        // Under the lock, so that no caller that was woken parks again meanwhile: this would wake
        // it again, without end.
        std::lock_guard const lock(mutex_);
        while (!parked_.empty())
        {
            idle_caller& c = claim();
            c.job = nullptr;
            c.sleep.unpark();
        }
    }

private:
    idle_caller& claim() noexcept
    {
        idle_caller& c = parked_.front();
        parked_.pop_front();
        size_.fetch_sub(1);
        return c;
    }

    std::mutex mutex_;
    boost::intrusive::list<idle_caller, boost::intrusive::constant_time_size<false>>
        parked_; // guarded by mutex_

    // Written under mutex_. Sequentially consistent: Dekker with what a caller looks at after it
    // has parked, see doc/design.adoc. Otherwise it could sleep beside work, or beside a free
    // right.
    std::atomic<std::size_t> size_{0};
};

} // namespace asio_ewyk::detail

#endif
