// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Leases of the right to produce: which thread goes on is decided by one compare-and-swap, and the
// next one, or the owner that takes the right from any, sees what the producer before it wrote
// plainly.

#include "check.hpp"
#include "stand_ins.hpp"
#include "checked_futex.hpp"

#include <asio_ewyk/detail/os/deadline.hpp>

#include <array>
#include <bit>
#include <chrono>
#include <memory>
#include <optional>

#define std checked
#define syscall checked_futex
#include <asio_ewyk/detail/os/futex_parker.hpp>
#include <asio_ewyk/detail/frame/lease.hpp>
#undef syscall
#undef std

BOOST_AUTO_TEST_SUITE(lease)

namespace {

using namespace weak_memory;
namespace detail = asio_ewyk::detail;
using detail::lease;

// `produced` belongs to the thread that has the right, while that is not leased.
struct leased : scenario
{
    void work() { ++produced; }

    // The producer: leases again and again, and counts in between; until it finds its lease ended.
    void lease_some(int n)
    {
        for (; n != 0; --n)
        {
            work();
            lease::number which = 0;
            claim(right.acquire(which, false), "no other has it");
            right.mark(which, lease::activity::busy);
            done[which] = 1;
            if (choose(2) == 0)
            {
                if (!right.renew(which))
                    return;
                ++which;
                claim(right.read().which >= which, "it has leased again");
            }
            if (!right.end(which))
                return;
        }
        has_right.store(1, std::memory_order_relaxed);
    }

    // True: this one has the right now.
    bool take_over()
    {
        lease::snapshot const s = right.read();
        if (!s.leased || !right.end(s.which))
            return false;
        if (s.which != 0)
            seen = done[s.which - 1];
        return true;
    }

    lease right;
    int produced = 0;

    // What was done on each lease, by its thread: it is over when the next one is leased.
    int done[8] = {};
    int seen = 0;

    checked::atomic<int> has_right{0};
};

// Two look, and take over what they see.
struct two_take_over : leased
{
    void thread(unsigned index) override
    {
        if (index == 0)
            return lease_some(2);
        for (int i = 0; i != 2; ++i)
            if (take_over())
            {
                work();
                taken.fetch_add(1, std::memory_order_relaxed);
                return;
            }
    }

    void after() override
    {
        claim(taken.load(std::memory_order_relaxed) + has_right.load(std::memory_order_relaxed) == 1,
            "one has the right");
    }

    checked::atomic<int> taken{0};
};

// No thread has the right. Each of two stores a task, and has the right if it is free; one that gives
// it up looks for tasks again. What succession does.
struct two_acquire : leased
{
    void thread(unsigned index) override
    {
        posted[index].exchange(1);
        lease::number n = 0;
        while (anything() && right.is_free() && right.acquire(n, index == 1))
        {
            claim(right.is(n), "it is its own");
            work();
            // The other one's first, which leaves time for that to come.
            for (unsigned const i : {1 - index, index})
                found.fetch_add(posted[i].exchange(0), std::memory_order_relaxed);
            lease::ended const e = right.end(n);
            claim(e.now && e.pooled == (index == 1), "it was its own");
        }
    }

    void after() override
    {
        claim(found.load(std::memory_order_relaxed) == 2, "each task is found");
        claim(right.is_free(), "none has the right");
    }

    bool anything() { return posted[0].load() != 0 || posted[1].load() != 0; }

    checked::atomic<int> posted[2] = {};
    checked::atomic<int> found{0};
};

// The mark is a hint, but one of an older lease says nothing.
struct looks : leased
{
    void thread(unsigned index) override
    {
        if (index == 0)
        {
            for (int i = 0; i != 3; ++i)
            {
                lease::number n = 0;
                claim(right.acquire(n, false), "no other has it");
                right.mark(n, lease::activity::busy);
                claim(right.end(n).now, "no other ends it");
            }
            return;
        }
        for (int i = 0; i != 3; ++i)
        {
            lease::snapshot const s = right.read();
            if (s.what == lease::activity::busy)
                claim(s.which <= 2, "there was a task of that lease");
            claim(s.which >= last, "the numbers grow");
            last = s.which;
        }
    }

    lease::number last = 0;
};

// A thread that does not know yet that it was superseded writes nothing over what its successor has
// written: who produces, and what.
struct one_is_superseded : leased
{
    void thread(unsigned index) override
    {
        if (index == 0)
            return produce(index);
        lease::snapshot const s = right.read();
        if (s.leased)
            right.end(s.which);
        produce(index);
    }

    void produce(unsigned index)
    {
        if (lease::number n = 0; right.acquire(n, false))
        {
            holder[n] = static_cast<int>(index);
            right.mark(n, lease::activity::busy);
        }
    }

    one_is_superseded()
    {
        detail::number_of_this_thread = [] { return static_cast<int>(thread_index()) + 1; };
    }

    void after() override
    {
        lease::snapshot const s = right.read();
        claim(s.leased, "one has the right");
        claim(s.what == lease::activity::busy, "its mark is seen");
        claim(s.producer == holder[s.which] + 1, "it is known which one");
    }

    int holder[8] = {}; // of each lease: written by the thread that has acquired it
};

// The owner takes the right from a lent producer, which renews its lease and says what it does,
// while one that watches ends that lease. The owner sees what the producer has done on each lease.
struct one_seizes : one_is_superseded
{
    void thread(unsigned index) override
    {
        if (index == 0)
            return be_lent();
        if (index == 1)
        {
            if (lease::snapshot const s = right.read(); s.leased)
                count(right.end(s.which).now);
            return;
        }
        before = 1;
        lease::number n = 0;
        lease::activity what{};
        lease::ended const e = right.seize(n, false, what);
        claim(e.now, "none keeps it");
        count(true);
        // Of the last one the producer does not know yet that it has ended.
        for (lease::number i = 0; i + (e.pooled ? 1 : 2) < n; ++i)
            seen += done[i];
        holder[n] = 2;
        right.mark(n, lease::activity::busy);
    }

    void be_lent()
    {
        lease::number n = 0;
        if (!right.acquire(n, true))
            return;
        for (int i = 0;; ++i)
        {
            holder[n] = 0;
            right.mark(n, i == 0 ? lease::activity::polls : lease::activity::busy);
            done[n] = 1;
            if (i == 2 || !right.renew(n))
                return;
            count(true);
            ++n;
        }
    }

    void count(bool changed) { changes.fetch_add(changed, std::memory_order_relaxed); }

    void after() override
    {
        lease::snapshot const s = right.read();
        claim(s.which == static_cast<lease::number>(changes.load(std::memory_order_relaxed)),
            "one of them has changed each lease");
        if (!s.leased)
            return;
        claim(s.what == lease::activity::busy || holder[s.which] == 0, "its mark is seen");
        claim(s.producer == holder[s.which] + 1, "it is known which one");
        claim(s.pooled == (holder[s.which] == 0), "it is known of which kind");
    }

    checked::atomic<int> changes{0};
    int before = 0; // the owner's
};

// What the owner has done before it took the right belongs to one that ends its lease.
struct one_ends_what_was_seized : one_seizes
{
    void thread(unsigned index) override
    {
        if (index != 0)
            return one_seizes::thread(2);
        for (int i = 0; i != 2; ++i)
            if (lease::snapshot const s = right.read(); s.leased && right.end(s.which))
                ++before;
    }

    void after() override {}
};

// `produced` belongs to the thread that keeps the right, and so to one at a time.
struct one_keeps : leased
{
    one_keeps() { right.acquire(first, true); }

    void thread(unsigned index) override
    {
        if (index == 0)
        {
            for (int i = 0; i != 2 && keep(first); ++i)
            {
            }
            return;
        }
        lease::number n = 0;
        for (;;)
        {
            lease::activity what{};
            lease::ended const e = right.seize(n, false, what);
            if (!e.now)
            {
                yield();
                continue;
            }
            claim(e.pooled, "a thread of the pool had it");
            claim(keep(n), "no other takes it");
            return;
        }
    }

    bool keep(lease::number& n)
    {
        if (!right.keep(n))
            return false;
        ++n;
        work();
        right.keep_no_more();
        return true;
    }

    void after() override
    {
        claim(produced >= 1 && right.read().leased && !right.read().pooled, "the owner has it");
    }

    lease::number first = 0;
};

std::vector<named_setup> const scenarios{
    {"two take over", setup_of<two_take_over>(3)},
    {"two acquire", setup_of<two_acquire>(2), 100'000},
    {"one looks", setup_of<looks>(2)},
    {"one is superseded", setup_of<one_is_superseded>(2)},
    {"one seizes", setup_of<one_seizes>(3), 100'000},
    {"one ends what was seized", setup_of<one_ends_what_was_seized>(2)},
    {"one keeps", setup_of<one_keeps>(2)},
};

}

BOOST_AUTO_TEST_CASE(one_has_the_right)
{
    check(scenarios);
    weaken(scenarios,
        {
            {"lease.hpp acquire", access::modify, seq_cst, acq_rel,
                "what it is Dekker with is a part of the succession"},
            {"lease.hpp seize", access::modify, seq_cst, acq_rel,
                "a thread that takes the lease for free looks again as it acquires it"},
            {"lease.hpp change", access::modify, seq_cst, release,
                "as acquire(); and a thread looks at the lease of another one before it ends that"},
            {"lease.hpp keep_no_more", access::store, release, release, ""},
            {"lease.hpp write", access::load, acquire, acquire, ""},
            {"lease.hpp write", access::modify, seq_cst, acq_rel, ""},
        });
}

BOOST_AUTO_TEST_SUITE_END()
