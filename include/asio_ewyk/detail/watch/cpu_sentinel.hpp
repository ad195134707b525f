// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_CPU_SENTINEL_HPP
#define ASIO_EWYK_DETAIL_WATCH_CPU_SENTINEL_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/cpu_binding.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/parker.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/os/thread_probe.hpp>
#include <asio_ewyk/detail/watch/watchdog_sleep.hpp>
#include <asio_ewyk/detail/watch/watched_lease.hpp>

#include <boost/config.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

namespace asio_ewyk::detail {

class cpu_sentinel;

// What producers and the sentinel of a CPU know of each other.
struct alignas(64) sentinel_slot
{
    std::atomic<watched_lease*> last{nullptr}; // of the producer whose task has begun there last
    std::atomic<bool> waits{false};            // the next such producer is to wake the sentinel
    std::atomic<cpu_sentinel*> of{nullptr};    // written by the watchdog, once
};

// Notices that a producer has blocked: a thread of the idle class gets its CPU only if no other
// thread wants it. So if the sentinel runs, the producer whose task has begun there last sleeps, or
// is elsewhere. There is no clock on the producer's path.
//
// | that producer                               | the sentinel                                   |
// |---------------------------------------------|------------------------------------------------|
// | is busy, as far as it has said              | yields until the grace is over; if it is the   |
// |                                             | same lease then, tells the watchdog, once      |
// | waits for I/O, is elsewhere, or there is    | sleeps until the next task begins there; if    |
// | none                                        | none was late for long, until it is activated  |
//
// The sentinel may not get the CPU again for long, so it takes no locks and ends no leases: the
// watchdog does that.
//
// The process has a sentinel for each CPU on which tasks were late; none moves. The watchdog
// starts, activates and ends them. Never freed, as producers may be about to wake one.
class BOOST_SYMBOL_VISIBLE cpu_sentinel
{
public:
    // The producer, when it has marked its lease: its task begins on this CPU.
    static void publish(watched_lease& lease) noexcept
    {
        auto const cpu = static_cast<std::size_t>(this_cpu());
        if (cpu >= cpus)
            return;
        sentinel_slot& here = slots_[cpu];
        // Mostly the last producer there was this one, and then nothing is written.
        if (here.last.load(std::memory_order_relaxed) != &lease) [[unlikely]]
            here.last.store(&lease, std::memory_order_release);
        // Relaxed, so this thread and the sentinel may miss each other: then the watchdog finds
        // what is late.
        if (here.waits.load(std::memory_order_relaxed)) [[unlikely]]
            wake(here);
    }

    // The watchdog: the sentinel of that CPU is needed for a while, and started if there is none.
    // `of_watchdog`: where the watchdog sleeps. Null if that CPU cannot have one. Throws
    // std::system_error, std::bad_alloc.
    static cpu_sentinel* activate(int cpu, watchdog_sleep& of_watchdog);

    // Any thread: whether the system has refused the idle class since the watchdog's thread began.
    static bool is_refused() noexcept { return refused_.load(); }
    static void reset_refusal() noexcept { refused_.store(false); }

    cpu_sentinel(cpu_sentinel const&) = delete;
    cpu_sentinel& operator=(cpu_sentinel const&) = delete;

    // The watchdog: has the sentinel end, which needs a CPU for that; and waits for its end.
    void request_end() noexcept;
    void join();

    // The watchdog: the lease of which the sentinel has told; null if none.
    watched_lease* take_told() noexcept
    {
        return told_.load(std::memory_order_relaxed) ? told_.exchange(nullptr) : nullptr;
    }

    // In the child of a fork, where the thread is not there.
    void forget_thread() noexcept;

private:
    // CPUs with higher numbers have no sentinel.
    static constexpr std::size_t cpus = has_idle_class ? cpu_mask::end : 0;

    // After so long without a late task the sentinel sleeps until it is activated.
    static constexpr std::chrono::nanoseconds needed_for = std::chrono::seconds(1);

    // If no producer has woken the sentinel for so long, it looks by itself.
    static constexpr std::chrono::nanoseconds longest_sleep = std::chrono::milliseconds(20);

    // For so long the sentinel yields; then it pauses, or an idle core would be kept busy.
    static constexpr std::chrono::nanoseconds pause = std::chrono::microseconds(100);

    cpu_sentinel(int cpu, watchdog_sleep& of_watchdog) noexcept
        : cpu_(cpu)
        , watchdog_sleep_(of_watchdog)
    {
    }

    static void wake(sentinel_slot& here) noexcept;
    void thread_main() noexcept;
    bool sees_task(watched_lease const* l, lease::snapshot const& s) const noexcept;
    bool tell(watched_lease& l, lease::snapshot const& s) noexcept;
    bool outlasts_grace(watched_lease const& l, lease::number n) noexcept;

    static inline constinit sentinel_slot slots_[cpus + 1]{};
    static inline constinit std::atomic<bool> refused_{false};

    int const cpu_;
    watchdog_sleep& watchdog_sleep_;
    std::thread thread_; // the watchdog's
    std::atomic<thread_id> id_{};
    parker sleep_;
    std::atomic<watched_lease*> told_{nullptr};
    std::atomic<time_point> needed_until_{}; // written by the watchdog, too; Dekker with sleeps_
    std::atomic<bool> sleeps_{false};        // until it is activated
    std::atomic<bool> stop_{false};

    thread_probe probe_;

    // The sentinel's: the last lease, and what its producer said, that it has dealt with.
    watched_lease const* known_ = nullptr;
    lease::snapshot known_state_;
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/watch/cpu_sentinel.ipp>
#endif

#endif
