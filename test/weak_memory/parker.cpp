// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Where a thread sleeps: no signal is lost, it publishes what came before, and the sleeper may
// destroy the object at once.

#include "check.hpp"
#include "checked_futex.hpp"

#include <asio_ewyk/detail/os/deadline.hpp>

#include <atomic>
#include <chrono>
#include <memory>

#define std checked
#define syscall checked_futex
#include <asio_ewyk/detail/os/condition_parker.hpp>
#include <asio_ewyk/detail/os/futex_parker.hpp>
#undef syscall
#undef std

BOOST_AUTO_TEST_SUITE(parker)

namespace {

using namespace weak_memory;
namespace detail = asio_ewyk::detail;

constexpr detail::time_point soon{};

// Each gives the other something, twice.
template <class Parker>
struct ping_pong : scenario
{
    void thread(unsigned index) override
    {
        for (int round = 0; round != 2; ++round)
        {
            if (index == 0)
                give(index, round);
            take(index, round);
            if (index == 1)
                give(index, round);
        }
    }

    void give(unsigned index, int round)
    {
        shared = 2 * round + static_cast<int>(index);
        parkers[1 - index].unpark();
    }

    void take(unsigned index, int round)
    {
        // As a thread of the pool does that was claimed when its time was over.
        if (!parkers[index].park_until(choose(2) == 0 ? soon : detail::forever))
            parkers[index].park_until(detail::forever);
        claim(shared == 2 * round + static_cast<int>(1 - index), "it sees what it was woken for");
    }

    Parker parkers[2];
    int shared = -1;
};

// Two tell it something, by a flag that is not the parker's; it looks, and sleeps.
template <class Parker>
struct looks_and_sleeps : scenario
{
    void thread(unsigned index) override
    {
        if (index != 0)
        {
            flags[index - 1].store(true, std::memory_order_relaxed);
            parker.unpark();
            return;
        }
        while (!flags[0].load(std::memory_order_relaxed) || !flags[1].load(std::memory_order_relaxed))
            parker.park_until(detail::forever);
    }

    checked::atomic<bool> flags[2]{false, false};
    Parker parker;
};

template <class Parker>
struct destroys : scenario
{
    void thread(unsigned index) override
    {
        if (index == 0)
            parker->unpark();
        else
        {
            while (!parker->park_until(choose(2) == 0 ? soon : detail::forever))
                yield();
            parker.reset();
        }
    }

    std::unique_ptr<Parker> parker = std::make_unique<Parker>();
};

template <class Parker>
std::vector<named_setup> all()
{
    return {
        {"two wake each other", setup_of<ping_pong<Parker>>(2)},
        {"two wake one that looks first", setup_of<looks_and_sleeps<Parker>>(3)},
        {"the sleeper destroys it", setup_of<destroys<Parker>>(2)},
    };
}

}

BOOST_AUTO_TEST_CASE(by_a_condition)
{
    check(all<detail::condition_parker>());
}

BOOST_AUTO_TEST_CASE(by_a_futex)
{
    check(all<detail::futex_parker>());
    weaken(all<detail::futex_parker>(),
        {
            {"futex_parker.hpp unpark", access::modify, release, release, ""},
            {"futex_parker.hpp park_until", access::modify, seq_cst, acquire,
                "a signal that it takes away has released what it was about"},
        });
}

BOOST_AUTO_TEST_SUITE_END()
