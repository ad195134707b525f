// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/version.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

namespace ewyk = asio_ewyk;

BOOST_AUTO_TEST_SUITE(version)

BOOST_AUTO_TEST_CASE(text_has_the_numbers_of_the_macro)
{
    BOOST_TEST(
        ewyk::version_string
        == std::to_string(ASIO_EWYK_VERSION / 10000) + '.'
               + std::to_string(ASIO_EWYK_VERSION / 100 % 100) + '.'
               + std::to_string(ASIO_EWYK_VERSION % 100));
}

#ifdef CMAKE_PROJECT_VERSION
BOOST_AUTO_TEST_CASE(cmake_read_the_same)
{
    BOOST_TEST(ewyk::version_string == CMAKE_PROJECT_VERSION);
}
#endif

BOOST_AUTO_TEST_SUITE_END()
