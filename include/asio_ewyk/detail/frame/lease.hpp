// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_FRAME_LEASE_HPP
#define ASIO_EWYK_DETAIL_FRAME_LEASE_HPP

#include <asio_ewyk/detail/observe/trace_point.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>

#include <atomic>
#include <cstdint>

namespace asio_ewyk::detail {

// Which thread produces next after a task: the producer, which keeps the right while it runs
// the task, or the one that took it over because the task is late. The producer leases the right
// before something that may block, and takes it back afterwards. One compare-and-swap, by any
// thread, decides whether the lease was ended meanwhile.
//
// Layout of the word: [number of the lease 63 bits][leased 1 bit]
//
// While it is not leased only the producer writes the word; and only then it touches what belongs
// to the producer. While it is leased, every change is a compare-and-swap that adds 1 to the
// number, so a thread knows its own lease by the number. Every change acquires and releases: the
// next producer sees what the previous one has written.
class lease
{
public:
    using number = std::uint64_t;

    // What the producer does, as it says itself.
    enum class activity : unsigned char
    {
        waits,  // for I/O; or runs a native handler that nothing has marked
        native, // runs a native handler: late if it blocks
        task,   // runs a task: late if it blocks
    };

    // What others see of it. `what` and `cpu` are hints: they may be of a moment ago.
    struct sight
    {
        number which = 0;
        bool leased = false;
        activity what = activity::waits;
        int cpu = -1;
        thread_id producer = 0;
    };

    // The producer: what it does next may be late. Returns the number of the lease.
    number begin(activity what) noexcept
    {
        // Relaxed: its own, or of the producer before, which this one has seen.
        number const n = word_.load(std::memory_order_relaxed) >> 1;
        if (thread_id const id = this_thread_id(); producer_.load(std::memory_order_relaxed) != id)
            producer_.store(id, std::memory_order_relaxed);
        mark(n, what);
        word_.store(n << 1 | 1, std::memory_order_release);
        return n;
    }

    // The thread of a lease: what it does now. A plain store, which costs nothing and which others
    // see a moment late; they read it twice before they act on it.
    void mark(number n, activity what) noexcept
    {
        mark_.store(n << 18 | std::uint64_t{static_cast<unsigned char>(what)} << 16
                | (static_cast<unsigned>(this_cpu()) & 0xffffu),
            std::memory_order_release);
    }

    bool is(number n) const noexcept
    {
        return word_.load(std::memory_order_relaxed) == (n << 1 | 1);
    }

    // Likewise. Sequentially consistent: Dekker, see strategy_service::submit.
    bool is_still(number n) const noexcept { return word_.load() == (n << 1 | 1); }

    // The thread of that lease, after its task: leases again at once. False if another thread has
    // ended the lease.
    bool renew(number n) noexcept { return change(n << 1 | 1, (n + 1) << 1 | 1); }

    // Any thread: ends that lease. The caller has the right to produce then. False if it has been
    // ended.
    bool end(number n) noexcept { return change(n << 1 | 1, (n + 1) << 1); }

    // Any thread.
    sight look() const noexcept
    {
        std::uint64_t const word = word_.load(std::memory_order_acquire);
        std::uint64_t const mark = mark_.load(std::memory_order_acquire);
        sight s;
        s.which = word >> 1;
        s.leased = (word & 1) != 0;
        s.cpu = static_cast<int>(mark & 0xffffu);
        // The mark of a lease that has ended says nothing of this one.
        if (mark >> 18 == (s.which & (~std::uint64_t{0} >> 18)))
            s.what = static_cast<activity>(mark >> 16 & 3u);
        s.producer = producer_.load(std::memory_order_relaxed);
        return s;
    }

private:
    bool change(std::uint64_t from, std::uint64_t to) noexcept
    {
        test_point();
        // Sequentially consistent: see is_still().
        return word_.compare_exchange_strong(from, to);
    }

    alignas(64) std::atomic<std::uint64_t> word_{0};

    // Layout: [number of the lease 46 bits][activity 2 bits][CPU 16 bits]. Written by the thread of
    // that lease. A thread that does not know yet that it was superseded may overwrite the mark of
    // its successor, which then looks as if it waited, until its next task.
    std::atomic<std::uint64_t> mark_{0};

    // Written by the producer, before it leases.
    std::atomic<thread_id> producer_{0};
};

} // namespace asio_ewyk::detail

#endif
