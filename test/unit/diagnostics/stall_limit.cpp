// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// How many reports of a context there may be, and that none is forgotten.

#include "../support.hpp"

#include <asio_ewyk/detail/observe/registration.hpp>

BOOST_AUTO_TEST_SUITE(stall_limit)

namespace {

using namespace support;
using limit_of_reports = ewyk::detail::stall_limit;

} // namespace

BOOST_AUTO_TEST_CASE(allows_so_many_in_a_second)
{
    limit_of_reports limit;
    ewyk::detail::time_point now{1h};
    for (std::size_t i = 0; i != limit_of_reports::most; ++i)
        BOOST_TEST(limit.allows(now += 1ms));
    BOOST_TEST(limit.take_suppressed() == 0u);
    for (int i = 0; i != 7; ++i)
        BOOST_TEST(!limit.allows(now += 1ms));
    BOOST_TEST(limit.allows(now += 1s));
    BOOST_TEST(limit.take_suppressed() == 7u);
    BOOST_TEST(limit.take_suppressed() == 0u);
    for (std::size_t i = 1; i != limit_of_reports::most; ++i)
        BOOST_TEST(limit.allows(now));
    BOOST_TEST(!limit.allows(now));
    BOOST_TEST(limit.take_suppressed() == 1u);
}

BOOST_AUTO_TEST_CASE(allows_what_comes_now_and_then)
{
    limit_of_reports limit;
    ewyk::detail::time_point now{1h};
    for (int i = 0; i != 100; ++i)
        BOOST_TEST(limit.allows(now += 101ms));
}

BOOST_AUTO_TEST_SUITE_END()
