// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_SENTINEL_HPP
#define ASIO_EWYK_DETAIL_ENGINE_SENTINEL_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/bed_delay.hpp>
#include <asio_ewyk/detail/engine/idle_checks.hpp>
#include <asio_ewyk/detail/engine/look_interval.hpp>
#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/frame/lessor.hpp>
#include <asio_ewyk/detail/os/back_off.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/home_process.hpp>
#include <asio_ewyk/detail/os/parker.hpp>
#include <asio_ewyk/detail/os/thread_probe.hpp>
#include <asio_ewyk/detail/os/watchdog.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace asio_ewyk::detail {

// Throws std::invalid_argument.
std::chrono::nanoseconds checked_grace(std::chrono::nanoseconds grace);

// Notices that a task of a lease has blocked, and has another thread produce.
//
// A thread of the idle class, on the CPU of the producer, gets that CPU only when no other thread
// wants it. So if it runs, the producer sleeps. There is no clock and no wake-up on the producer's
// path. What it does when it runs:
//
// | the producer                            | the sentinel                                      |
// |-----------------------------------------|---------------------------------------------------|
// | sleeps in a handler                     | yields until the grace is over; if it is the same |
// |                                         | lease then, ends it and has another thread        |
// |                                         | produce                                           |
// | runs, or is about to                    | yields                                            |
// | waits for I/O, or there is none         | naps; rests where it has seen nothing else lately |
// | is on another CPU                       | moves there                                       |
//
// What it cannot see is left to the watchdog, a thread of normal priority that looks seldom: where
// another thread wants the producer's CPU, where a task computes, where the system has no idle
// class. A thread of the idle class cannot come back to normal, so it starts no threads: the
// watchdog does that. It wakes the sentinel from its rest, or starts it, where the producer has
// something to do for longer than one look.
//
// Where the producer does nothing the watchdog goes to bed, and the producer rouses it with its
// next task. The lease's mark is Dekker with in_bed_: see doc/design.adoc; but without a fence, so
// both could miss each other, and a late task would not be noticed. Therefore the watchdog sets
// in_bed_, and naps and looks once more before it sleeps: no machine keeps a store to itself for so
// long. The standard asks for "a finite period of time".
//
// Where the producer tells that it waits for I/O (see wait_hook), it rouses the watchdog when it
// does no more. What has the right and has not waited yet, or where another thread may wait for
// I/O, may sleep on a lock in a handler, or because it waits for Asio's condition. Then the
// watchdog posts a handler to the io_context: if nobody runs it for a millisecond, it is a handler.
//
// Elsewhere the end of a wait rouses nothing, and the watchdog checks a producer that waits as
// well: see idle_checks.
class sentinel final : private watchdog::client
{
public:
    using duration = std::chrono::nanoseconds;

    sentinel(lease const& observed, lessor& owner, duration grace);
    sentinel(sentinel const&) = delete;
    sentinel& operator=(sentinel const&) = delete;
    ~sentinel();

    // Whether there is a grace; without one nothing is leased.
    bool in_use() const noexcept { return grace_ != duration::zero(); }

    // The producer, after it has said what it does. A load and a branch unless the watchdog
    // is in bed.
    void alert() noexcept
    {
        // The compiler keeps the order; the processor need not, see above.
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (in_bed_.load(std::memory_order_relaxed)) [[unlikely]]
            rouse();
    }

    // Before there is a producer: it is going to tell when it waits for I/O.
    void observe_waits() noexcept { observes_ = true; }
    bool observes_waits() const noexcept { return observes_; }

    // The producer: whether the file is known for which it waits then.
    void knows_reactor(bool on) noexcept { exact_.store(on, std::memory_order_relaxed); }

    // Any thread: whether the system has no idle class for its thread.
    bool refused() const noexcept { return refused_.load(std::memory_order_relaxed); }

    // Any thread: whether the system did not tell what a thread does that waits, or runs a native
    // handler, when it was asked last.
    bool is_blind() const noexcept { return blind_.load(std::memory_order_relaxed); }

    // Any thread: whether the system has refused the watchdog to be a thread of normal priority.
    bool is_watched_late() const noexcept { return late_.load(std::memory_order_relaxed); }

    // Ends its thread: for good, or until it is needed again. Not from a look.
    void stop(bool for_good) noexcept;

private:
    // CPU-bound tasks get this multiple of the grace: another thread would take the CPU from them.
    static constexpr int computing = 10;

    // A yield that takes less has let nothing else run; after so many in a row it naps.
    static constexpr duration switching = std::chrono::microseconds(3);
    static constexpr int most_in_vain = 8;

    static constexpr duration shortest_nap = std::chrono::microseconds(100);
    static constexpr duration longest_nap = std::chrono::milliseconds(4);

    // If there is nothing to see for so long the sentinel rests.
    static constexpr duration patience = std::chrono::milliseconds(20);

    // For so long after a late task the watchdog wakes it for each progress that it sees.
    static constexpr duration remembers = std::chrono::seconds(1);

    // So long a sign of life may take. The pause until the watchdog asks again grows while signs
    // come.
    static constexpr duration moment = std::chrono::milliseconds(1);
    static constexpr duration longest_pause = std::chrono::milliseconds(64);

    // If nothing comes for so long, a thread is not needed any more that produces for the owner; so
    // that is called, at growing intervals.
    static constexpr duration shortest_loan = std::chrono::milliseconds(8);
    static constexpr duration longest_loan = std::chrono::seconds(1);

    // The number of a lease after which a context counts as used. To begin takes a few.
    static constexpr lease::number few = 8;

    static bool may_be_late(lease::sight const& s) noexcept
    {
        return s.leased && s.what == lease::activity::busy;
    }

    duration longest_task() const noexcept
    {
        return computing * std::clamp(grace_, duration(1), duration::max() / computing);
    }

    void forget_thread() noexcept;
    bool start() noexcept;
    void rouse() noexcept;
    void call_sentinel() noexcept;
    void work() noexcept;
    enum class answer
    {
        no,
        perhaps,
        yes,
    };
    answer blocks(lease::sight const& s, thread_probe::state thread) const noexcept;
    enum class finding
    {
        nothing,
        runs, // the producer
        late, // a task was, or may have been
    };
    finding watch(lease::sight const& s) noexcept;
    void follow(int cpu) noexcept;
    bool wait_out(lease::number n) noexcept;
    void take_over(lease::sight const& s, bool may_start) noexcept;
    bool is_long(duration time) const noexcept { return in_use() && time >= longest_task(); }
    bool is_late(lease::sight const& s, time_point now) noexcept;
    bool gives_no_sign(time_point now) noexcept;
    bool is_lent(lease::sight const& s, bool changed, time_point now) noexcept;
    duration next_look(
        lease::sight const& s, bool changed, time_point now) noexcept;
    bool is_at_rest(lease::sight const& s, time_point now) noexcept;
    time_point look(time_point now) noexcept override;

    lease const& lease_;
    lessor& owner_;
    duration const grace_;
    bool const may_ask_; // for the idle class
    bool observes_ = false;

    // Written by the watchdog, and by the thread that rouses it. Those below are read and written
    // relaxed where nothing is published with them: a late value costs a nap.
    // Without a grace it is never in bed, so that nothing rouses it.
    std::atomic<bool> in_bed_{in_use()};
    std::atomic<bool> refused_{false};
    std::atomic<bool> blind_{false};
    std::atomic<bool> exact_{false};
    std::atomic<bool> late_{false};

    std::atomic<bool> needs_start_{false};

    // When a task was late. Relaxed: a late value costs a nap.
    std::atomic<time_point> last_late_{};

    // The thread's. True while it is parked without a deadline, and nothing has woken it.
    std::atomic<bool> rests_{false};
    parker sleep_;
    std::atomic<bool> stop_{false};
    thread_probe probe_;
    int cpu_ = -1;
    int in_vain_ = 0; // yields in a row

    std::mutex mutex_;
    home_process home_;      // guarded by mutex_
    std::thread thread_;     // guarded by mutex_
    bool registered_ = false; // guarded by mutex_
    back_off start_pause_;    // guarded by mutex_: of the watchdog

    // The watchdog's.
    back_off thread_pause_;
    bed_delay bed_delay_;
    look_interval interval_;
    bool second_ = false; // the next look comes early, for what the last one has found
    thread_probe watchdog_probe_;
    lease::sight seen_;
    time_point seen_since_{};
    time_point progress_{};
    bool waits_for_sign_ = false;
    time_point asked_for_sign_{};
    lease::number asked_which_ = 0;
    duration pause_ = moment;
    duration loan_ = shortest_loan;
    bool drowsy_ = true; // it has set in_bed_, and looks once more, or is in bed
    time_point drowsy_since_{};
    time_point roused_{};
    bool native_has_run_ = false;
    bool asked_system_ = false;    // what a thread does
    bool polls_ = false;           // when the system told last, the producer waited for I/O
    std::optional<duration> used_; // its CPU time before that; none if its lease was another one
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/engine/sentinel.ipp>
#endif

#endif
