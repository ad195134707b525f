// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Which thread produces for a context: one that ends a lease then asks for a thread, one that was
// asked says so and then looks at the lease, and one that parks then looks whether it is free. What
// the producer wrote plainly is seen by the next one, however it gets the lease.

#include "checked_succession.hpp"

#include <chrono>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(succession)

namespace {

using namespace weak_memory;
namespace detail = asio_ewyk::detail;
using asio_ewyk::strategy_t;

// `produced` belongs to the producer, which keeps the lease while it writes it if others may take
// over. Thread 0 is that at first. The pool has no thread for it.
struct produced_by_one : scenario, detail::succession_host
{
    explicit produced_by_one(strategy_t s = strategy_t::execute_produce_consume)
        : threads(pool, this, s != strategy_t::produce_consume)
        , of(threads, s, std::chrono::nanoseconds(1), s != strategy_t::produce_consume,
              s == strategy_t::produce_consume, this, *this)
    {
        of.lease_.acquire(first, false);
    }

    static asio_ewyk::worker_pool_options one_thread()
    {
        asio_ewyk::worker_pool_options o;
        o.max_threads = 1;
        return o;
    }

    // The threads do that by themselves.
    void arrive() override {}

    void work(detail::call_frame& frame)
    {
        if (!of.leases())
            ++produced;
        else if (of.keep(frame))
        {
            ++produced;
            of.keep_no_more(frame);
        }
    }

    // The thread that has the lease at first.
    struct producer : detail::call_frame
    {
        explicit producer(produced_by_one& s)
            : call_frame(&s)
        {
            role = role_t::producer;
            lease_number = s.first;
            leased_by = s.of.leases() ? &s.of.watch_.lessor_ : nullptr;
            section_lessor = s.of.leases() ? nullptr : &s.of.watch_.lessor_;
        }
    };

    // A caller, which parks until it has produced.
    void produce_when_asked()
    {
        for (;;)
        {
            detail::call_frame frame(this);
            if (of.is_free() && of.acquire(frame))
                return leave(frame);
            threads.callers().park(idle);
            if (of.is_free() && threads.callers().withdraw(idle))
                continue;
            idle.sleep.park_until(detail::forever);
            if (std::exchange(idle.job, nullptr) && of.arrive(frame))
                return leave(frame);
        }
    }

    void leave(detail::call_frame& frame)
    {
        work(frame);
        of.stop_producing(frame, false);
    }

    detail::elastic_threads pool{one_thread()};
    detail::workforce threads;
    detail::succession of;
    detail::idle_caller idle;
    detail::lease::number first = 0;
    int produced = 0;
};

// A producer leaves while a caller parks.
struct one_leaves : produced_by_one
{
    void thread(unsigned index) override
    {
        if (index != 0)
            return produce_when_asked();
        producer frame(*this);
        work(frame);
        of.stop_producing(frame, true);
    }

    void after() override { claim(produced == 2, "both have produced"); }

    using produced_by_one::produced_by_one;
};

// Likewise, where nothing but the lease says that one handler runs at a time.
struct one_leaves_alone : one_leaves
{
    one_leaves_alone()
        : one_leaves(strategy_t::produce_consume)
    {}
};

// A thread takes over from one that is late, which then may produce again.
struct one_takes_over : produced_by_one
{
    void thread(unsigned index) override
    {
        if (index == 2)
            return produce_when_asked();
        if (index == 1)
        {
            if (auto const s = of.lease_.read(); s.leased)
                of.take_over(s.which);
            return;
        }
        producer frame(*this);
        work(frame);
        of.mark_busy(frame);
        of.renew_or_resume(frame);
        if (frame.produces())
        {
            work(frame);
            of.stop_producing(frame, true);
        }
    }
};

// An owner takes the right back from a lent producer that waits for I/O, or from the thread that
// has come where one that watches has taken over.
struct one_takes_back : produced_by_one
{
    void thread(unsigned index) override
    {
        if (index == 3)
            return produce_when_asked();
        if (index == 2)
        {
            if (auto const s = of.lease_.read(); s.leased)
                of.take_over(s.which);
            return;
        }
        if (index == 1)
            return own();
        producer frame(*this);
        work(frame);
        of.begin_wait(frame);
        of.end_wait(frame);
        work(frame);
        of.stop_producing(frame, true);
    }

    void own()
    {
        detail::call_frame frame(this);
        frame.is_owner = of.become_owner();
        claim(frame.is_owner, "there is no other owner");
        while (!of.has_lease(frame))
        {
            of.take_back(frame);
            yield();
        }
        of.begin_wait(frame);
        of.end_wait(frame);
        if (of.renew_or_resume(frame))
            work(frame);
        of.resign_owner();
        of.stop_producing(frame, true);
    }
};

// A producer has another one come before it runs a task, and takes the lease back if none could
// be had.
struct one_hands_over : produced_by_one
{
    void thread(unsigned index) override
    {
        if (index != 0)
            return produce_when_asked();
        producer frame(*this);
        work(frame);
        if (!of.hand_over(frame, strategy_t::execute_produce_consume) || of.renew_or_resume(frame))
        {
            work(frame);
            of.stop_producing(frame, true);
        }
    }
};

// A thread gets a request that was sent for an earlier lease, while the producer leaves: that is
// asked for once more, or the thread finds the lease free. In each case the parked caller gets a
// request in the end.
struct one_arrives : produced_by_one
{
    one_arrives()
    {
        of.asked_.store(true, std::memory_order_relaxed);
        threads.callers().park(idle);
    }

    void thread(unsigned index) override
    {
        if (index == 0)
        {
            producer frame(*this);
            work(frame);
            return of.stop_producing(frame, true);
        }
        detail::call_frame frame(this);
        if (index == 1)
        {
            if (of.arrive(frame))
            {
                work(frame);
                of.stop_producing(frame, true);
            }
            return;
        }
        idle.sleep.park_until(detail::forever);
        claim(std::exchange(idle.job, nullptr) == &of, "it is a request");
        if (of.arrive(frame))
            leave(frame);
    }
};

// A thread comes back from a section while the producer leaves, or passes the lease on to it.
struct one_comes_back : produced_by_one
{
    one_comes_back()
        : produced_by_one(strategy_t::produce_consume)
    {
        threads.section_entered();
    }

    void thread(unsigned index) override
    {
        if (index == 0)
        {
            producer frame(*this);
            work(frame);
            if (of.has_returning())
                claim(of.pass_lease(frame, false), "it waits");
            else
                of.stop_producing(frame, false);
            return;
        }
        detail::call_frame frame(this);
        frame.section_lessor = &of.watch_.lessor_;
        of.leave_section(frame);
        leave(frame);
    }

    void after() override { claim(produced == 2, "both have produced"); }
};

std::vector<named_setup> const scenarios{
    {"one leaves", setup_of<one_leaves>(2), 4'000},
    {"one leaves, where one handler runs at a time", setup_of<one_leaves_alone>(2), 4'000},
    {"one takes over", setup_of<one_takes_over>(3), 4'000},
    {"one takes back", setup_of<one_takes_back>(4), 4'000},
    {"one hands over", setup_of<one_hands_over>(2), 4'000},
    {"one arrives", setup_of<one_arrives>(3), 4'000},
    {"one comes back", setup_of<one_comes_back>(2), 4'000},
};

}

BOOST_AUTO_TEST_CASE(has_one_producer_and_loses_no_request)
{
    keep_apart(reinterpret_cast<void**>(&detail::call_frame::top_));
    check(scenarios);
    weaken(scenarios,
        {
            {"succession.hpp arrive", access::store, seq_cst, release,
                "the checker's exchange finds what was written last"},
            {"succession.ipp ask", access::modify, seq_cst, acquire,
                "the checker takes the change of the lease before it for a fence"},
            {"lease.hpp acquire", access::load, seq_cst, seq_cst, ""},
            {"lease.hpp acquire", access::modify, seq_cst, relaxed,
                "its load acquires, and it publishes nothing"},
            {"lease.hpp is_free", access::load, seq_cst, relaxed,
                "the checker takes the change of the number of parked callers before it for a fence"},
            {"lease.hpp change", access::modify, seq_cst, seq_cst, ""},
            {"lease.hpp adopt", access::load, acquire, relaxed, "the thread was woken for it"},
            {"idle_callers.hpp any", access::load, seq_cst, seq_cst, ""},
            {"idle_callers.hpp park_last", access::modify, seq_cst, seq_cst, ""},
            {"idle_callers.hpp park", access::modify, seq_cst, seq_cst, ""},
            {"idle_callers.hpp parked", access::load, seq_cst, seq_cst, ""},
            {"futex_parker.hpp unpark", access::modify, release, release, ""},
        });
}

BOOST_AUTO_TEST_SUITE_END()
