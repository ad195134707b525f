// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Both kinds of parker, whichever this build uses.

#include <asio_ewyk/detail/os/condition_parker.hpp>
#include <asio_ewyk/detail/os/parker.hpp>
#if defined(__linux__) && defined(__LP64__)
#include <asio_ewyk/detail/os/futex_parker.hpp>
#endif

#include "support.hpp"

#include <boost/mpl/list.hpp>
#include <boost/test/data/test_case.hpp>

#include <memory>
#include <optional>

BOOST_AUTO_TEST_SUITE(parker)

namespace {

using namespace support;
#if defined(__linux__) && defined(__LP64__)
using kinds = boost::mpl::list<ewyk::detail::condition_parker, ewyk::detail::futex_parker>;
#else
using kinds = boost::mpl::list<ewyk::detail::condition_parker>;
#endif

} // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(a_signal_that_came_first_is_not_lost, Parker, kinds)
{
    Parker p;
    p.unpark();
    BOOST_TEST(p.park_until(ewyk::detail::after(patience)));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(many_signals_are_one, Parker, kinds)
{
    Parker p;
    for (int i = 0; i != 3; ++i)
        p.unpark();
    BOOST_TEST(p.park_until(ewyk::detail::forever));
    BOOST_TEST(!p.park_until(ewyk::detail::after(1ms)));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(the_deadline_ends_the_sleep, Parker, kinds)
{
    Parker p;
    for (auto const wait : {0ns, 1ns, 3'000'000ns})
    {
        auto const deadline = ewyk::detail::after(wait);
        BOOST_TEST(!p.park_until(deadline));
        BOOST_TEST((std::chrono::steady_clock::now() >= deadline));
    }
    BOOST_TEST(!p.park_until({}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(each_signal_wakes_the_sleeper_once, Parker, kinds)
{
    constexpr int many = 20'000;
    Parker here;
    Parker there;
    int turns = 0; // of the thread that is awake
    std::thread other([&] {
        for (int i = 0; i != many; ++i)
        {
            there.park_until(ewyk::detail::forever);
            ++turns;
            here.unpark();
        }
    });
    bool in_time = true;
    for (int i = 0; i != many; ++i)
    {
        there.unpark();
        in_time = in_time && here.park_until(ewyk::detail::after(patience));
        ++turns;
    }
    other.join();
    BOOST_TEST(in_time);
    BOOST_TEST(turns == 2 * many);
}

// The sleeper may destroy the object while unpark() is still under way.
BOOST_AUTO_TEST_CASE_TEMPLATE(is_gone_as_soon_as_the_sleeper_is_awake, Parker, kinds)
{
    for (int i = 0; i != 2'000; ++i)
    {
        auto p = std::make_unique<Parker>();
        std::thread waker([raw = p.get()] { raw->unpark(); });
        p->park_until(i % 2 ? ewyk::detail::forever : ewyk::detail::after(patience));
        p.reset();
        waker.join();
    }
}

// A deadline and a signal at the same time: either counts, and a late signal is for the next sleep.
BOOST_AUTO_TEST_CASE_TEMPLATE(a_signal_at_the_deadline_is_not_lost, Parker, kinds)
{
    for (int i = 0; i != 2'000; ++i)
    {
        Parker p;
        std::thread waker([&] { p.unpark(); });
        bool const first = p.park_until(ewyk::detail::after(std::chrono::microseconds(i % 100)));
        BOOST_TEST((first || p.park_until(ewyk::detail::after(patience))));
        waker.join();
    }
}

BOOST_AUTO_TEST_SUITE_END()
