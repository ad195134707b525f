// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/os/coarse_clock.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <thread>

BOOST_AUTO_TEST_SUITE(coarse_clock)

namespace {

using namespace std::chrono_literals;
using asio_ewyk::detail::coarse_clock;
using steady = std::chrono::steady_clock;

} // namespace

BOOST_AUTO_TEST_CASE(is_never_ahead_of_the_steady_one)
{
    coarse_clock const clock(1h);
    BOOST_TEST((clock.tick() <= 1h));
    auto before = clock.now();
    for (int i = 0; i != 10'000; ++i)
    {
        auto const coarse = clock.now();
        BOOST_TEST_REQUIRE((coarse >= before));
        BOOST_TEST_REQUIRE((coarse <= steady::now()));
        before = coarse;
    }
}

BOOST_AUTO_TEST_CASE(goes_on)
{
    coarse_clock const clock(1h);
    auto const begin = steady::now();
    while (clock.now() <= begin)
        std::this_thread::yield();
    BOOST_TEST((steady::now() > begin));
}

BOOST_AUTO_TEST_CASE(is_the_steady_one_where_its_error_is_too_much)
{
    coarse_clock const clock(0ns);
    BOOST_TEST((clock.tick() == 0ns));
    auto const before = steady::now();
    auto const between = clock.now();
    BOOST_TEST((before <= between));
    BOOST_TEST((between <= steady::now()));
}

BOOST_AUTO_TEST_SUITE_END()
