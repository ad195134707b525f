// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A thread that waits for a job says so and then looks; the one that changes what it looks at then
// looks whether it is there.

#include "check.hpp"
#include "checked_futex.hpp"
#include "stand_ins.hpp"

#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy.hpp>

#include <boost/asio/recycling_allocator.hpp>
#include <boost/intrusive/list.hpp>

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

// An idle caller that parks is given a job.
struct idle_caller_is_woken : scenario
{
    void thread(unsigned index) override
    {
        for (int round = 0; round != 2; ++round)
            if (index == 0)
            {
                idle.park(idle_caller);
                idle_caller.sleep.park_until(detail::forever);
                claim(idle_caller.job != nullptr && given == round, "it sees what it was given");
                idle_caller.job = nullptr;
            }
            else
            {
                // Only seen by the idle caller that is woken for it.
                while (idle.parked() == 0)
                    yield();
                claim(idle.parked() == 1, "one is parked");
                given = round;
                claim(idle.wake_one(reinterpret_cast<detail::task*>(this)), "it is claimed");
            }
    }

    detail::idle_callers idle;
    detail::idle_caller idle_caller;
    int given = -1;
};

std::vector<named_setup> const scenarios{
    {"an idle caller is woken", setup_of<idle_caller_is_woken>(2), 5'000},
};

}

BOOST_AUTO_TEST_CASE(misses_nothing)
{
    check(scenarios);
    weaken(scenarios,
        {
            {"futex_parker.hpp unpark", access::modify, release, release, ""},
        });
}

BOOST_AUTO_TEST_SUITE_END()
