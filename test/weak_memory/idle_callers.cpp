// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A thread that waits for a place, or for a job, says so and then looks; the one that changes what it
// looks at then looks whether it is there.

#include "check.hpp"
#include "checked_futex.hpp"
#include "stand_ins.hpp"

#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy.hpp>

#include <boost/asio/recycling_allocator.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>

#define std checked
#define syscall checked_futex
#include <asio_ewyk/detail/engine/idle_callers.hpp>
#undef syscall
#undef std

BOOST_AUTO_TEST_SUITE(idle_callers)

namespace {

using namespace weak_memory;
namespace detail = asio_ewyk::detail;

// A place becomes free while a thread begins to wait for one.
struct waits_for_a_place : scenario
{
    waits_for_a_place()
    {
        for (std::size_t i = 0; i != 4; ++i)
            places.free_.bits_[i].store(0, std::memory_order_relaxed);
        places.callers_[0] = &first;
    }

    void thread(unsigned index) override
    {
        if (index == 0)
        {
            first.job = nullptr;
            places.vacate(0);
            return;
        }
        std::size_t const place = places.occupy(second, detail::forever, [] { return false; });
        claim(place == 0, "it is the place that became free");
        places.vacate(place);
    }

    detail::idle_callers places;
    detail::idle_caller first;
    detail::idle_caller second;
};

// An idle caller that parks is given a job.
struct idle_caller_is_woken : scenario
{
    idle_caller_is_woken() { place = places.occupy(idle_caller, detail::forever, [] { return false; }); }

    void thread(unsigned index) override
    {
        for (int round = 0; round != 2; ++round)
            if (index == 0)
            {
                places.park(place);
                idle_caller.sleep.park_until(detail::forever);
                claim(idle_caller.job != nullptr && given == round, "it sees what it was given");
                idle_caller.job = nullptr;
            }
            else
            {
                // Only seen by the idle caller that is woken for it.
                while (places.parked_.size() == 0)
                    yield();
                claim(places.parked_.size() == 1, "one is parked");
                given = round;
                claim(places.wake_one(reinterpret_cast<detail::task*>(this)), "it is claimed");
            }
    }

    detail::idle_callers places;
    detail::idle_caller idle_caller;
    std::size_t place = 0;
    int given = -1;
};

std::vector<named_setup> const scenarios{
    {"one waits for a place", setup_of<waits_for_a_place>(2), 5'000},
    {"an idle caller is woken", setup_of<idle_caller_is_woken>(2), 5'000},
};

}

BOOST_AUTO_TEST_CASE(misses_nothing)
{
    check(scenarios);
    weaken(scenarios,
        {
            {"parked_threads.ipp claim", access::load, seq_cst, seq_cst, ""},
            {"parked_threads.ipp size", access::load, seq_cst, acquire, "here a thread is waited for by it"},
            {"idle_callers.hpp changed", access::load, seq_cst, seq_cst, ""},
            {"idle_callers.hpp occupy", access::modify, seq_cst, seq_cst, ""},
            {"parked_threads.hpp park", access::modify, seq_cst, seq_cst, ""},
            {"futex_parker.hpp unpark", access::modify, release, release, ""},
        });
}

BOOST_AUTO_TEST_SUITE_END()
