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

// The right to produce, which one thread has at a time. The producer leases it before something
// that may block: then another thread may end the lease, and produce instead. Whether the lease was
// ended is decided by one compare-and-swap, of any thread.
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
// Every change of a leased word adds 1 to the number, so a thread knows its own lease by the
// number. Every change acquires and releases: the next producer sees what the previous one has
// written.
class lease
{
public:
    using number = std::uint64_t;

    // What the producer does, as it says itself.
    enum class activity : unsigned char
    {
        unknown, // waits for I/O or a condition, or runs what nothing has marked
        busy,    // runs handlers, or is about to: late if it blocks
        polls,   // waits for I/O
    };

    // What others see of it. `what` and `cpu` are hints: they may be of a moment ago.
    struct sight
    {
        number which = 0;
        bool leased = false;
        bool held = false; // a thread has the right, leased or kept
        bool pooled = false;
        activity what = activity::unknown;
        int cpu = -1;
        thread_id producer = 0;
    };

    // No other thread uses it: none has the right. Numbers go on.
    void reset() noexcept { word_.store(((word_.load() >> shift) + 1) << shift); }

    // Any thread: has the right to produce from now on, if no thread has it. `pooled`: the pool
    // counts it among the threads that produce. Sequentially consistent, as is is_free(): Dekker
    // with what a thread asks for, see succession.
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
            belongs_to_this_thread(n);
            mark(n, activity::unknown);
            return true;
        }
        return false;
    }

    struct ended
    {
        bool now;    // false if it had ended before, or could not be
        bool pooled; // the pool counts its thread among those that produce
        explicit operator bool() const noexcept { return now; }
    };

    // Any thread: has the right from now on, whichever thread has it. False if that one keeps it.
    // `what`: what that one did as it lost it, if there is one.
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
            belongs_to_this_thread(n);
            mark(n, activity::unknown);
            return {true, (word & leased) != 0 && (word & pooled) != 0};
        }
        return {false, false};
    }

    // Any thread: whether no thread has the right, which can be acquired then.
    bool is_free() const noexcept { return (word_.load() & (leased | kept)) == 0; }

    // This thread has been given the right that another one had: the lease goes on with a number of
    // its own. Nobody ends it meanwhile.
    number adopt(bool is_pooled) noexcept
    {
        // Acquire: what the thread has done that had it. Relaxed: it is this thread's.
        number const n = (word_.load(std::memory_order_acquire) >> shift) + 1;
        word_.store(n << shift | leased | (is_pooled ? pooled : 0));
        belongs_to_this_thread(n);
        mark(n, activity::unknown);
        return n;
    }

    // The thread of a lease: what it does now. Others read it twice before they act on it.
    void mark(number n, activity what) noexcept
    {
        std::uint64_t const text = n << mark_shift
            | std::uint64_t{static_cast<unsigned char>(what)} << 16
            | (static_cast<unsigned>(this_cpu()) & 0xffffu);
        write(mark_, n, [=](std::uint64_t) { return text; });
    }

    // Relaxed: its own thread reads it, or one that looks again.
    bool is(number n) const noexcept
    {
        std::uint64_t const word = word_.load(std::memory_order_relaxed);
        return word >> shift == n && (word & leased) != 0;
    }

    // The thread of that lease, after its task: leases again at once. False if another thread has
    // ended the lease.
    bool renew(number n) noexcept
    {
        return change(n, [](std::uint64_t word) { return word + one; });
    }

    // The thread of that lease: no thread may end it until keep_no_more(). False if one has.
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

    // Any thread. Sequentially consistent, as are the changes and marks: see lease_watch::alert().
    sight look() const noexcept
    {
        std::uint64_t const word = word_.load();
        sight s;
        s.which = word >> shift;
        s.leased = (word & leased) != 0;
        s.held = (word & (leased | kept)) != 0;
        s.pooled = (word & pooled) != 0;
        s.what = activity_of(s.which, &s.cpu);
        s.producer = static_cast<thread_id>(producer_.load(std::memory_order_relaxed));
        return s;
    }

private:
    // The mark of a lease that has ended says nothing of this one.
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

    void belongs_to_this_thread(number n) noexcept
    {
        std::uint64_t const id = static_cast<std::uint32_t>(this_thread_id());
        write(producer_, n, [=](std::uint64_t seen) { return ((seen >> 32) + 1) << 32 | id; });
    }

    // The thread of that lease, which may have ended without its knowledge: then what the thread of
    // a later one has written stays. Acquire, and acquire again where the exchange fails: this
    // thread sees the end of its lease if it has seen that.
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
        // Relaxed: if the number and the bit are the lease's, so are the others.
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        if (word >> shift != n || (word & leased) == 0)
            return false;
        test_point();
        // Sequentially consistent: see acquire().
        return word_.compare_exchange_strong(word, next(word));
    }

    alignas(64) std::atomic<std::uint64_t> word_{0};

    // Layout: [number of the lease 46 bits][activity 2 bits][CPU 16 bits]. Written by the thread of
    // that lease.
    std::atomic<std::uint64_t> mark_{0};

    // Layout: [how often it was written 32 bits][thread_id 32 bits]. Written by the producer when
    // it has acquired: for a moment others may see the one before.
    std::atomic<std::uint64_t> producer_{0};
};

} // namespace asio_ewyk::detail

#endif
