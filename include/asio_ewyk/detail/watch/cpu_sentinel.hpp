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
struct alignas(64) sentinel_place
{
    std::atomic<watched_lease*> last{nullptr}; // whose task has begun there last
    std::atomic<bool> waits{false};            // the sentinel is to be woken by the next one
    std::atomic<cpu_sentinel*> of{nullptr};    // written by the watchdog, once
};

// Notices that a producer has blocked: a thread of the idle class gets its CPU only if no other
// thread wants it. So if it runs, the producer whose task has begun there last sleeps, or is
// elsewhere. There is no clock on the producer's path.
//
// | that producer                               | the sentinel                                   |
// |---------------------------------------------|------------------------------------------------|
// | is busy, as far as it has said              | yields until the grace is over; if it is the   |
// |                                             | same lease then, tells the watchdog, once      |
// | waits for I/O, is elsewhere, or there is    | sleeps until the next task begins there; if    |
// | none                                        | nothing was late for long, until it is called  |
//
// No more than that: it may not get the CPU again for long, so it takes no locks and ends no
// leases. The watchdog asks the system what the thread does, and takes the right from it.
//
// The process has one for each CPU on which tasks were late; none moves. The watchdog starts, calls
// and ends them. Never freed, as producers may be about to wake one.
class BOOST_SYMBOL_VISIBLE cpu_sentinel
{
public:
    // The producer, when it has marked its lease: its task begins on this CPU.
    static void publish(watched_lease& lease) noexcept
    {
        auto const cpu = static_cast<std::size_t>(this_cpu());
        if (cpu >= cpus)
            return;
        sentinel_place& here = places_[cpu];
        // Mostly it is the same one, and then nothing is written.
        if (here.last.load(std::memory_order_relaxed) != &lease) [[unlikely]]
            here.last.store(&lease, std::memory_order_release);
        // Relaxed, so both may miss each other: then the watchdog finds what is late.
        if (here.waits.load(std::memory_order_relaxed)) [[unlikely]]
            wake(here);
    }

    // The watchdog: the sentinel of a CPU is needed for a while. `news` wakes the watchdog. Null if
    // there is none, and none may be. Throws std::system_error, std::bad_alloc.
    static cpu_sentinel* call(int cpu, watchdog_sleep& news);

    // Any thread: whether the system has refused the class since the watchdog began.
    static bool is_refused() noexcept { return refused_.load(); }
    static void ask_again() noexcept { refused_.store(false); }

    cpu_sentinel(cpu_sentinel const&) = delete;
    cpu_sentinel& operator=(cpu_sentinel const&) = delete;

    // The watchdog: has the thread leave, which needs a CPU for that; and waits for it.
    void leave() noexcept;
    void join();

    // The watchdog: the lease that it was told of, if any.
    watched_lease* take_news() noexcept
    {
        return told_of_.load(std::memory_order_relaxed) ? told_of_.exchange(nullptr) : nullptr;
    }

    // In another process than that of its thread.
    void forget_thread() noexcept;

private:
    // CPUs with higher numbers have no sentinel.
    static constexpr std::size_t cpus = has_idle_class ? cpu_mask::end : 0;

    // If nothing was late for so long it sleeps until it is called.
    static constexpr std::chrono::nanoseconds patience = std::chrono::seconds(1);

    // If no producer has woken the sentinel for so long it looks by itself.
    static constexpr std::chrono::nanoseconds longest_sleep = std::chrono::milliseconds(20);

    // Longer than to yield for: an idle core would be kept busy.
    static constexpr std::chrono::nanoseconds pause = std::chrono::microseconds(100);

    cpu_sentinel(int cpu, watchdog_sleep& news) noexcept
        : cpu_(cpu)
        , news_(news)
    {
    }

    static void wake(sentinel_place& here) noexcept;
    void work() noexcept;
    bool sees_task(watched_lease const* l, lease::sight const& s) const noexcept;
    bool tell(watched_lease& l, lease::sight const& s) noexcept;
    bool outlasts_grace(watched_lease const& l, lease::number n) noexcept;

    static inline constinit sentinel_place places_[cpus + 1]{};
    static inline constinit std::atomic<bool> refused_{false};

    int const cpu_;
    watchdog_sleep& news_;
    std::thread thread_; // the watchdog's
    std::atomic<thread_id> id_{};
    parker sleep_;
    std::atomic<watched_lease*> told_of_{nullptr};
    std::atomic<time_point> needed_until_{}; // written by the watchdog, too; Dekker with sleeps_
    std::atomic<bool> sleeps_{false};        // until it is called
    std::atomic<bool> stop_{false};

    thread_probe probe_;

    // The last lease of which it has found out what there is to tell.
    watched_lease const* known_ = nullptr;
    lease::number known_number_ = 0;
    lease::activity known_what_ = lease::activity::unknown;
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/watch/cpu_sentinel.ipp>
#endif

#endif
