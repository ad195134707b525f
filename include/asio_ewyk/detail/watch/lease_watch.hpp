// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_LEASE_WATCH_HPP
#define ASIO_EWYK_DETAIL_WATCH_LEASE_WATCH_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/frame/lessor.hpp>
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
#include <asio_ewyk/detail/observe/thread_activity.hpp>
#endif
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/home_process.hpp>
#include <asio_ewyk/detail/watch/back_off.hpp>
#include <asio_ewyk/detail/watch/cpu_sentinel.hpp>
#include <asio_ewyk/detail/watch/lateness.hpp>
#include <asio_ewyk/detail/watch/watchdog.hpp>

#include <atomic>
#include <chrono>
#include <mutex>

namespace asio_ewyk::detail {

// Throws std::invalid_argument.
std::chrono::nanoseconds checked_grace(std::chrono::nanoseconds grace);

// Notices that a task of a lease is late, and has another thread produce: does what `lateness`
// says, on the watchdog's thread. A sentinel tells the watchdog of a thread that has blocked on the
// sentinel's CPU. The watchdog's own checks find what no sentinel can see: where another thread
// wants the producer's CPU, where a task computes, where the system has no idle class.
class lease_watch final : private watchdog::client
{
public:
    using duration = std::chrono::nanoseconds;

    // Throws std::bad_alloc.
    lease_watch(lessor& of, duration grace);
    lease_watch(lease_watch const&) = delete;
    lease_watch& operator=(lease_watch const&) = delete;
    ~lease_watch();

    // The lease that is watched, which no thread has at first.
    lease& right() const noexcept { return lease_.right; }

    // Whether there is a grace; without one nothing is leased.
    bool in_use() const noexcept { return grace_ != duration::zero(); }

    // The producer, after it has acquired or marked its lease: wakes the watchdog, if that sleeps;
    // else a load and a branch. Sequentially consistent, as is the mark: Dekker with the watchdog,
    // which sets asleep_ and then checks the lease once more.
    void wake_if_asleep() noexcept
    {
        if (asleep_.load()) [[unlikely]]
            wake_watchdog();
    }

    // The producer, when it is about to run handlers.
    void mark_busy(lease::number n) noexcept
    {
        lease_.right.mark(n, lease::activity::busy);
        publish();
        wake_if_asleep();
    }

    // The producer, after a mark: the sentinel of this CPU watches its lease from now on.
    void publish() noexcept
    {
        if (may_ask_)
            cpu_sentinel::publish(lease_);
    }

    // Before there is a producer: producers are going to tell when they wait for I/O.
    void observe_waits() noexcept { observes_ = true; }
    bool observes_waits() const noexcept { return observes_; }

#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
    // Before there is a producer: its thread_activity is going to have all handlers that it runs,
    // with that owner.
    void observe_handlers(void const* owner) noexcept { owner_ = owner; }
#endif

    // The system's file by which Asio waits for I/O; if it is known, so is when the producer waits.
    // learn_reactor(): the producer, which has seen it wait; no_file: in the child of a fork, which
    // has another file.
    static constexpr int no_file = -1;
    bool knows_reactor() const noexcept { return !is_reactor(no_file); }
    bool is_reactor(int file) const noexcept
    {
        return reactor_.load(std::memory_order_relaxed) == file;
    }
    void learn_reactor(int file) noexcept { reactor_.store(file, std::memory_order_relaxed); }

    // Any thread: whether the system has no idle class for sentinels.
    bool sentinel_refused() const noexcept
    {
        return in_use() && (!may_ask_ || cpu_sentinel::is_refused());
    }

    // Any thread: whether the system, when it was asked last, did not tell what the producer's
    // thread does.
    bool probe_refused() const noexcept { return probe_refused_.load(std::memory_order_relaxed); }

    // Any thread: whether the system has refused the watchdog a normal priority.
    bool normal_priority_refused() const noexcept
    {
        return watchdog_ && watchdog_->normal_priority_refused();
    }

    // No more checks: for good, or until a producer wakes the watchdog. Not from on_timer().
    void stop(bool for_good) noexcept;

private:
    void wake_watchdog() noexcept;
    handler_sight handler_of(lease::snapshot const& s) noexcept;
    void take_over(lateness::observation const& s) noexcept;
    time_point on_timer(time_point now) noexcept override;

    watchdog* const watchdog_; // null if it is not in use
    watched_lease& lease_;
    lessor& lessor_;
    duration const grace_;
    bool const may_ask_; // the system for the idle class
    bool observes_ = false;
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
    void const* owner_ = nullptr; // null: nothing tells of the handlers
#endif

    // Written by the watchdog, and by the producer that wakes it. False without a grace, where no
    // producer is to wake the watchdog.
    std::atomic<bool> asleep_{in_use()};

    // Relaxed, but for stop_: nothing is published with these. A thread that does not know the file
    // yet does not tell when it waits.
    std::atomic<bool> probe_refused_{false};
    std::atomic<int> reactor_{no_file};
    std::atomic<bool> stop_{false};

    std::mutex mutex_;
    home_process home_;       // guarded by mutex_
    bool registered_ = false; // guarded by mutex_
    back_off start_pause_;    // guarded by mutex_

    // The watchdog's.
    lateness policy_;
    thread_probe probe_;
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
    thread_activity const* producer_ = nullptr; // of the last check
#endif
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/watch/lease_watch.ipp>
#endif

#endif
