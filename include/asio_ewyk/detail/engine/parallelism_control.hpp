// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_PARALLELISM_CONTROL_HPP
#define ASIO_EWYK_DETAIL_ENGINE_PARALLELISM_CONTROL_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/metrics/role_clock.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace asio_ewyk::detail {

// Whether tasks that are short enough to be run on a lease are better given to several threads:
// with leases a context has one thread at work, and that may not be enough.
//
// It decides after each window of time, by measurement: when the producer is out of CPU time,
// because it has used that or others have, it tries a window with a hand-over before each task. If
// more tasks were run, and in the next window as well, it keeps handing over until one thread is
// enough again. From time to time it checks whether that is still better: loads change, and two
// windows may have been better by chance. If a try fails, it tries again later, after four times as
// many windows each time; soon again only when one thread has been enough for long. It does not try
// where a task costs less than any wake-up. It tries as well when most tasks block, as it takes
// longer to notice that than to hand over. Where others have the CPU, or most tasks block, it takes
// two windows: part of the first one may have been idle, or the others' only.
class parallelism_policy
{
public:
    using duration = std::chrono::nanoseconds;

    // What happened in a window.
    struct window
    {
        duration time;
        std::size_t tasks;
        std::optional<duration> cpu; // of producing and of tasks on leases; none: not known
        duration ran;                // CPU time of all tasks, while it handed over
        std::size_t late = 0;        // tasks that blocked
        std::size_t given = 0;       // tasks that the pool got, as it had no thread left
        bool makes_room = false;     // for more threads, as some of those spread to sleep
        bool ran_on = false;         // the producer in the end, without waiting

        bool mostly_late() const noexcept
        {
            return late * 2 > tasks - given || given * 2 > tasks;
        }
    };

    // After a window: whether to lease in the next one.
    bool leases_after(window const& w) noexcept;

private:
    enum class state
    {
        leasing,
        starting,
        trying,
        confirming, // that it was not better by chance
        spreading,
        checking, // leasing, to compare
    };

    static double rate(window const& w) noexcept;
    static bool better(window const& one, window const& other) noexcept;
    static double share_of_one(window const& w) noexcept;
    bool tries_after(window const& w) noexcept;
    bool lease() noexcept;

    // Less may be chance.
    static constexpr double gain = 0.125;

    // A system call at least.
    static constexpr duration shortest = std::chrono::microseconds(1);

    // In windows.
    static constexpr int longest_start = 4;
    static constexpr int longest_pause = 128;
    static constexpr int first_check = 64;
    static constexpr int longest_check = 512;

    state state_ = state::leasing;
    window before_{};
    int wait_ = 1;            // windows until the next try, or the next check
    int pause_ = 1;           // after the next try that was in vain: four times that
    int check_ = first_check; // after the next check that was: twice that
    int starts_ = 0;          // windows of this try before anything was compared
    int enough_ = 0;          // windows in a row in which one thread was
    int late_ = 0;            // windows in a row in which most tasks were
    int interrupted_ = 0;     // windows in a row in which others had the CPU
    double share_ = 1;        // of the CPU, that one thread gets
};

// Measures the windows of a parallelism_policy, and keeps what it has decided.
class parallelism_control
{
public:
    using duration = parallelism_policy::duration;

    // So many tasks, and then that long, between two decisions.
    static constexpr std::size_t checked_every = 64;
    static constexpr duration window = std::chrono::milliseconds(10);

    // Where tasks are shorter than that on average, one of so many is measured.
    static constexpr duration shortest_measured = std::chrono::microseconds(25);
    static constexpr int sampled = 7; // no even number: tasks may come in turns of that length

    // A producer that has not waited for so much of its CPU time may have tasks enough.
    static constexpr duration ran_on = std::chrono::microseconds(100);

    // A task that has not had the CPU for so long has slept.
    static constexpr duration asleep = std::chrono::microseconds(50);

    explicit parallelism_control(bool in_use) noexcept;

    // The producer: whether to lease for a task rather than to hand over before it.
    bool leases() const noexcept { return leases_.load(std::memory_order_relaxed); }

    // The producer, for each task: whether it is time to look().
    bool count() noexcept
    {
        std::size_t const n = tasks_.load(std::memory_order_relaxed) + 1;
        tasks_.store(n, std::memory_order_relaxed);
        return n % checked_every == 0;
    }

    // The producer: whether a window has ended. Then it calls look(), and are_asleep() before that
    // if was_full(). One that has just come knows less than the next one that counts.
    bool ended_window(bool has_come) const noexcept
    {
        return std::chrono::steady_clock::now() - began_window_
            >= (has_come ? 2 * window : window);
    }

    // `taken_over`: how many tasks were, since the beginning.
    void look(std::uint64_t taken_over) noexcept;

    // Any thread: whether its CPU time is that of the producer, or need not be known.
    bool measures_this_thread() const noexcept
    {
        return !in_use_ || !leases() || cpu_.is_mine();
    }

    // The producer, before it leases: if another thread was it before, its CPU time counts from
    // here. Whether that is so.
    bool producer_is_this_thread() noexcept
    {
        if (measures_this_thread()) [[likely]]
            return false;
        cpu_.begin();
        return true;
    }

    // Some of them are about to wake up while others run.
    static constexpr int threads_for_each_cpu = 4;

    // The producer, where it does not lease: whether it is to hand over. If so it calls
    // end_spread() after the task, or if that failed. More threads would only take turns, but for
    // those that sleep.
    bool begin_spread() noexcept
    {
        if (spread_.fetch_add(1, std::memory_order_relaxed) + 1
            < threads_for_each_cpu * cpus_ + sleepers())
            return true;
        end_spread();
        was_full_.store(true, std::memory_order_relaxed);
        return false;
    }

    // The producer, after a window: whether begin_spread() has refused. Then the producer says how
    // many threads are in tasks, and how many of these sleep. Only those count that do so twice in
    // a row, and none that may not have been spread. They count for less and less later.
    bool was_full() noexcept
    {
        return was_full_.load(std::memory_order_relaxed)
            && was_full_.exchange(false, std::memory_order_relaxed);
    }
    void are_asleep(int threads, int in_tasks) noexcept
    {
        int const others = std::max(in_tasks - spread_.load(std::memory_order_relaxed), 0);
        threads = std::max(threads - others, 0);
        int const before = sleepers();
        int const last = std::exchange(seen_asleep_, threads);
        forget(2 * std::max(threads, last) < before ? quickly : slowly);
        asleep_.store(std::max(asleep_.load(std::memory_order_relaxed),
                          slowly * std::min(threads, last)),
            std::memory_order_relaxed);
        asked_ = true;
        makes_room_ = threads > before;
    }

    void end_spread() noexcept { spread_.fetch_sub(1, std::memory_order_relaxed); }

    // The producer, after count(): the pool gets the task.
    void gave() noexcept
    {
        given_.store(given_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    // The producer, after count(), where it does not lease: whether the CPU time of the task is
    // measured. That takes two system calls, so it is one of several where tasks are short.
    bool samples() const noexcept
    {
        return tasks_.load(std::memory_order_relaxed) % static_cast<std::size_t>(weight()) == 0;
    }

    // For how many tasks one stands that is measured now.
    int weight() const noexcept { return weight_.load(std::memory_order_relaxed); }

    // Any thread: a task that was measured, of that weight, has taken so much CPU time of that
    // time.
    void ran(duration cpu, duration time, int weight) noexcept
    {
        ran_.fetch_add(cpu.count() * weight, std::memory_order_relaxed);
        if (time - cpu >= asleep)
            late_.fetch_add(static_cast<std::size_t>(weight), std::memory_order_relaxed);
    }

private:
    // In a window, one of so many is taken to sleep no more; quickly, where far fewer are seen to.
    static constexpr int slowly = 32;
    static constexpr int quickly = 4;

    void forget(int one_of) noexcept
    {
        int const n = asleep_.load(std::memory_order_relaxed);
        asleep_.store(n - (n + one_of - 1) / one_of, std::memory_order_relaxed);
    }

    // Any thread: how many are taken to sleep.
    int sleepers() const noexcept
    {
        return (asleep_.load(std::memory_order_relaxed) + slowly / 2) / slowly;
    }

    int const cpus_;
    bool const in_use_; // there are several CPUs, and leases

    // The producer's own.
    parallelism_policy policy_;
    std::atomic<bool> leases_{true}; // relaxed: a late thread may read it, too
    time_point began_window_{};
    role_clock cpu_;

    // In this window; relaxed, plain sums.
    std::atomic<std::size_t> tasks_{0};
    std::atomic<duration::rep> ran_{0};
    std::atomic<std::size_t> late_{0};
    std::atomic<std::size_t> given_{0};

    // Tasks that production was handed over for. Relaxed: a count that is seen late is a thread
    // more or less.
    std::atomic<int> spread_{0};

    // Written by the producer; relaxed, as a late thread may use them, too.
    std::atomic<int> asleep_{0};   // `slowly` for each thread
    int seen_asleep_ = 0;          // the producer's own
    bool asked_ = false;           // likewise: in this window
    bool makes_room_ = false;      // likewise
    std::uint64_t taken_over_ = 0; // likewise
    std::atomic<bool> was_full_{false};
    std::atomic<int> weight_{1};
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/engine/parallelism_control.ipp>
#endif

#endif
