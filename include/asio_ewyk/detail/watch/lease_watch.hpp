// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_LEASE_WATCH_HPP
#define ASIO_EWYK_DETAIL_WATCH_LEASE_WATCH_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/frame/lessor.hpp>
#include <asio_ewyk/detail/os/back_off.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/home_process.hpp>
#include <asio_ewyk/detail/watch/cpu_sentinel.hpp>
#include <asio_ewyk/detail/watch/lateness.hpp>
#include <asio_ewyk/detail/watch/watchdog.hpp>

#include <atomic>
#include <chrono>
#include <mutex>

namespace asio_ewyk::detail {

// Throws std::invalid_argument.
std::chrono::nanoseconds checked_grace(std::chrono::nanoseconds grace);

// Notices that a task of a lease is late, and has another thread produce: applies what `lateness`
// says, on the watchdog's thread. The sentinel of the CPU tells it where a thread has blocked; what
// that cannot see, the looks of the watchdog find: where another thread wants the producer's CPU,
// where a task computes, where the system has no idle class.
class lease_watch final : private watchdog::client
{
public:
    using duration = std::chrono::nanoseconds;

    // Throws std::bad_alloc.
    lease_watch(lessor& owner, duration grace);
    lease_watch(lease_watch const&) = delete;
    lease_watch& operator=(lease_watch const&) = delete;
    ~lease_watch();

    // What it watches, which no thread has yet.
    lease& right() const noexcept { return lease_.right; }

    // Whether there is a grace; without one nothing is leased.
    bool in_use() const noexcept { return grace_ != duration::zero(); }

    // The producer, after it has said what it does. A load and a branch unless the watchdog sleeps.
    // Sequentially consistent, as is what it has said: Dekker with the watchdog, which looks once
    // more when it has said that it sleeps.
    void alert() noexcept
    {
        if (asleep_.load()) [[unlikely]]
            rouse();
    }

    // The producer: it runs handlers from now on, or is about to.
    void mark_busy(lease::number n) noexcept
    {
        lease_.right.mark(n, lease::activity::busy);
        publish();
        alert();
    }

    // The producer, after a mark: the sentinel of this CPU watches that lease.
    void publish() noexcept
    {
        if (may_ask_)
            cpu_sentinel::publish(lease_);
    }

    // Before there is a producer: it is going to tell when it waits for I/O.
    void observe_waits() noexcept { observes_ = true; }
    bool observes_waits() const noexcept { return observes_; }

    // The producer: whether the file is known for which it waits then.
    void knows_reactor(bool on) noexcept { exact_.store(on, std::memory_order_relaxed); }

    // Any thread: whether the system has no idle class for sentinels.
    bool refused() const noexcept
    {
        return in_use() && (!may_ask_ || cpu_sentinel::is_refused());
    }

    // Any thread: whether the system did not tell what a thread does that waits, or runs a native
    // handler, when it was asked last.
    bool is_blind() const noexcept { return blind_.load(std::memory_order_relaxed); }

    // Any thread: whether the system has refused the watchdog to be a thread of normal priority.
    bool is_watched_late() const noexcept
    {
        return watchdog_ && watchdog_->is_humble();
    }

    // No more looks: for good, or until they are needed again. Not from a look.
    void stop(bool for_good) noexcept;

private:
    bool start() noexcept;
    void rouse() noexcept;
    void take_over(lease::sight const& s) noexcept;
    time_point look(time_point now) noexcept override;

    watchdog* const watchdog_; // null if it is not in use
    watched_lease& lease_;
    lessor& owner_;
    duration const grace_;
    bool const may_ask_; // for the idle class
    bool observes_ = false;

    // Written by the watchdog, and by the thread that wakes it. Without a grace the watchdog is
    // never needed, so nothing wakes it.
    std::atomic<bool> asleep_{in_use()};

    // Read and written relaxed: nothing is published with these.
    std::atomic<bool> blind_{false};
    std::atomic<bool> exact_{false};
    std::atomic<bool> stop_{false};

    std::mutex mutex_;
    home_process home_;       // guarded by mutex_
    bool registered_ = false; // guarded by mutex_
    back_off start_pause_;    // guarded by mutex_

    // The watchdog's.
    lateness policy_;
    thread_probe probe_;
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/watch/lease_watch.ipp>
#endif

#endif
