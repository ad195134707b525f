// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The right to produce: what the producer wrote plainly is seen by the next one, however it
// gets the right.

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
#include <asio_ewyk/detail/engine/production_right.hpp>
#include <asio_ewyk/detail/pool/parked_threads.hpp>
#undef syscall
#undef std

BOOST_AUTO_TEST_SUITE(production_right)

namespace {

using namespace weak_memory;
namespace detail = asio_ewyk::detail;
using detail::production_state;
using enum detail::production_event;
using enum detail::production_verdict;

// `produced` belongs to the producer.
struct producers : scenario
{
    void work() { ++produced; }

    // Until there is nothing to do.
    void produce()
    {
        do
            work();
        while (right.apply(found_none).verdict == detail::production_verdict::produce);
    }

    detail::production_right right;
    int produced = 0;
};

// Each of them has something to do, which one of them does.
struct three_enter : producers
{
    void thread(unsigned index) override
    {
        todo[index].store(true, std::memory_order_relaxed);
        if (right.apply(enter).verdict != detail::production_verdict::produce)
            return;
        do
            for (auto& t : todo)
                if (t.load(std::memory_order_relaxed))
                {
                    t.store(false, std::memory_order_relaxed);
                    work();
                }
        while (right.apply(found_none).verdict == detail::production_verdict::produce);
    }

    void after() override { claim(produced == 3, "all is done"); }

    checked::atomic<bool> todo[3]{false, false, false};
};

// The producer hands over to a thread that is started for it, and comes back; a third one enters.
struct hand_over_and_resume : producers
{
    void thread(unsigned index) override
    {
        if (index == 1)
        {
            started.park_until(detail::forever);
            if (right.apply(arrive).verdict == detail::production_verdict::produce)
                produce();
            return;
        }
        if (right.apply(enter).verdict == detail::production_verdict::produce)
        {
            work();
            if (right.apply(hand_over).verdict == start)
                begin();
            if (right.apply(resume).verdict == detail::production_verdict::produce)
                produce();
        }
        if (index == 0)
            begin();
    }

    // It comes in any case, or would wait for ever.
    void begin()
    {
        if (!begun.exchange(true))
            started.unpark();
    }

    detail::futex_parker started;
    checked::atomic<bool> begun{false};
};

// An idle caller that parks then looks whether any thread produces; the one that leaves the right then looks
// whether an idle caller is parked.
struct idle_caller_and_leaver : producers
{
    void thread(unsigned index) override
    {
        if (index == 0)
        {
            work();
            right.apply(abdicate);
            if (parked.claim() != detail::parked_threads::none)
                sleep.unpark();
            return;
        }
        parked.park(0);
        if (right.now().state != production_state::idle || !parked.withdraw(0))
            sleep.park_until(detail::forever);
        if (right.apply(enter).verdict == detail::production_verdict::produce)
            work();
    }

    idle_caller_and_leaver() { right.apply(enter); }
    void after() override { claim(produced == 2, "both have produced"); }

    detail::parked_threads parked{1};
    detail::futex_parker sleep;
};

std::vector<named_setup> const scenarios{
    {"three enter", setup_of<three_enter>(3)},
    {"one hands over", setup_of<hand_over_and_resume>(3)},
    {"one parks, one leaves", setup_of<idle_caller_and_leaver>(2)},
};

}

BOOST_AUTO_TEST_CASE(is_handed_on)
{
    check(scenarios);
    weaken(scenarios,
        {
            {"production_right.hpp now", access::load, seq_cst, seq_cst, ""},
            {"production_right.hpp apply", access::modify, seq_cst, seq_cst, ""},
            {"parked_threads.hpp park", access::modify, seq_cst, seq_cst, ""},
            {"parked_threads.ipp claim", access::load, seq_cst, seq_cst, ""},
        });
}

BOOST_AUTO_TEST_SUITE_END()
