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

// The right to produce, which one thread has at a time. The producer leases it before it runs what
// may block: then another thread may end the lease, and produce instead. A compare-and-swap decides
// which thread has ended a lease.
//
// Layout of the word: [number of the lease 61 bits][pooled 1 bit][kept 1 bit][leased 1 bit]
//
// | leased, kept | who may change the word                                                       |
// |--------------|-------------------------------------------------------------------------------|
// | neither      | an execution_strategy's producer: begin(); in a context, where no thread has  |
// |              | the right then, any thread: acquire()                                         |
// | leased       | any thread, by a compare-and-swap from that number: end(), renew(), keep()    |
// | kept         | its producer, by a store: keep_no_more()                                      |
// | not kept     | a thread that is about to wait for I/O, by a compare-and-swap: seize()         |
//
// Every change of a leased word adds 1 to the number, so a thread recognises its own lease by the
// number. Every change acquires and releases: the next producer sees what the previous one has
// written.
class lease
{
public:
    using number = std::uint64_t;

    // What the producer says that it does.
    enum class activity : unsigned char
    {
        unknown, // waits for I/O or a condition, or runs handlers that nothing has marked
        busy,    // runs handlers, or is about to: a thread that blocks then is late
        polls,   // waits for I/O
    };

    // What other threads see of the lease. `what` and `cpu` are hints: they may be of a moment ago.
    struct snapshot
    {
        number which = 0;
        bool leased = false;
        bool held = false; // a thread has the right, leased or kept
        bool pooled = false;
        activity what = activity::unknown;
        int cpu = -1;
        thread_id producer = 0;
    };

    // Before the lease is used again, when no thread has the right. Numbers go on, so that a
    // sentinel cannot take the new lease for an old one.
    void reset() noexcept { word_.store(((word_.load() >> shift) + 1) << shift); }

    // Any thread: takes the right to produce, if no thread has it. `is_pooled`: the pool counts the
    // thread among its producers. Sequentially consistent, as is is_free(): Dekker with asked_, see
    // succession.
    bool acquire(number& n, bool is_pooled) noexcept
    {
        std::uint64_t word = word_.load();
        while ((word & (leased | kept)) == 0)
        {
            test_point();
            if (!word_.compare_exchange_weak(
                    word, word >> shift << shift | leased | (is_pooled ? pooled : 0)))
                continue;
            n = word >> shift;
            begins(n);
            return true;
        }
        return false;
    }

    struct ended
    {
        bool now;    // false: the lease had ended before, or is kept
        bool pooled; // the pool counts the thread that had it among its producers
        explicit operator bool() const noexcept { return now; }
    };

    // Any thread: takes the right from the thread that has it, if any. False if that thread keeps
    // it. `what`: what that thread said that it did when it lost the right.
    ended seize(number& n, bool is_pooled, activity& what) noexcept
    {
        std::uint64_t word = word_.load();
        while ((word & kept) == 0)
        {
            what = (word & leased) != 0 ? activity_of(word >> shift) : activity::busy;
            test_point();
            std::uint64_t const next
                = ((word >> shift) + 1) << shift | leased | (is_pooled ? pooled : 0);
            if (!word_.compare_exchange_weak(word, next))
                continue;
            n = next >> shift;
            begins(n);
            return {true, (word & leased) != 0 && (word & pooled) != 0};
        }
        return {false, false};
    }

    // Any thread: whether no thread has the right.
    bool is_free() const noexcept { return (word_.load() & (leased | kept)) == 0; }

    // A thread to which the producer has passed its right: the lease is this thread's from now on,
    // under a new number. Only where no other thread ends leases.
    number adopt(bool is_pooled) noexcept
    {
        // Acquire: what the thread that had the lease has done.
        number const n = (word_.load(std::memory_order_acquire) >> shift) + 1;
        word_.store(n << shift | leased | (is_pooled ? pooled : 0));
        begins(n);
        return n;
    }

    // The thread of that lease: says what it does now. Others read the mark twice before they act
    // on it.
    void mark(number n, activity what) noexcept
    {
        std::uint64_t const text = n << mark_shift
            | std::uint64_t{static_cast<unsigned char>(what)} << 16
            | (static_cast<unsigned>(this_cpu()) & 0xffffu);
        write(mark_, n, [=](std::uint64_t) { return text; });
    }

    // Whether that lease has not ended. Relaxed: read by its own thread, or by one that reads
    // again.
    bool is(number n) const noexcept
    {
        std::uint64_t const word = word_.load(std::memory_order_relaxed);
        return word >> shift == n && (word & leased) != 0;
    }

    // The thread of that lease, after its task: begins the next lease at once. False if another
    // thread has ended the lease.
    bool renew(number n) noexcept
    {
        return change(n, [](std::uint64_t word) { return word + one; });
    }

    // The thread of that lease: no other thread may end it until keep_no_more(). False if another
    // thread has ended it already.
    bool keep(number n) noexcept
    {
        return change(n, [](std::uint64_t word) { return word + one - leased + kept; });
    }
    void keep_no_more() noexcept
    {
        word_.store(word_.load(std::memory_order_relaxed) - kept + leased,
            std::memory_order_release);
    }

    // Any thread: ends that lease.
    ended end(number n) noexcept
    {
        bool was_pooled = false;
        bool const now = change(n, [&](std::uint64_t word) {
            was_pooled = (word & pooled) != 0;
            return ((word >> shift) + 1) << shift;
        });
        return {now, was_pooled};
    }

    // Any thread. Sequentially consistent, as are the changes and marks: see
    // lease_watch::wake_if_asleep().
    snapshot read() const noexcept
    {
        std::uint64_t const word = word_.load();
        snapshot s;
        s.which = word >> shift;
        s.leased = (word & leased) != 0;
        s.held = (word & (leased | kept)) != 0;
        s.pooled = (word & pooled) != 0;
        s.what = activity_of(s.which, &s.cpu);
        s.producer = static_cast<thread_id>(producer_.load(std::memory_order_relaxed));
        return s;
    }

private:
    // The mark of a lease that has ended says nothing of the present one.
    activity activity_of(number n, int* cpu = nullptr) const noexcept
    {
        std::uint64_t const mark = mark_.load();
        if (cpu)
            *cpu = static_cast<int>(mark & 0xffffu);
        return mark >> mark_shift == (n & (~std::uint64_t{0} >> mark_shift))
            ? static_cast<activity>(mark >> 16 & 3u)
            : activity::unknown;
    }

    static constexpr std::uint64_t leased = 1;
    static constexpr std::uint64_t kept = 2;
    static constexpr std::uint64_t pooled = 4;
    static constexpr int shift = 3;
    static constexpr std::uint64_t one = 1 << shift;

    static constexpr int mark_shift = 18;

    // The lease is this thread's from now on.
    void begins(number n) noexcept
    {
        std::uint64_t const id = static_cast<std::uint32_t>(this_thread_id());
        write(producer_, n, [=](std::uint64_t seen) { return ((seen >> 32) + 1) << 32 | id; });
        mark(n, activity::unknown);
    }

    // The thread of that lease, which another thread may have ended: then what the thread of a
    // later lease has written must stay. Acquire, also where the exchange fails: a thread that
    // reads what its successor has written sees the end of its own lease, too.
    template <class Next>
    void write(std::atomic<std::uint64_t>& to, number n, Next next) noexcept
    {
        std::uint64_t seen = to.load(std::memory_order_acquire);
        while (is(n) && !to.compare_exchange_weak(seen, next(seen)))
        {
        }
    }

    template <class Next>
    bool change(number n, Next next) noexcept
    {
        // Relaxed: the compare-and-swap fails if the word has changed since.
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        if (word >> shift != n || (word & leased) == 0)
            return false;
        test_point();
        // Sequentially consistent: see acquire().
        return word_.compare_exchange_strong(word, next(word));
    }

    alignas(64) std::atomic<std::uint64_t> word_{0};

    // Layout: [number of the lease 46 bits][activity 2 bits][CPU 16 bits]. Written by the thread of
    // that lease only.
    std::atomic<std::uint64_t> mark_{0};

    // Layout: [how often this was written 32 bits][thread_id 32 bits]. Written by the producer
    // after it has acquired the lease: for a moment others may see the previous producer.
    std::atomic<std::uint64_t> producer_{0};
};

} // namespace asio_ewyk::detail

#endif
