// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_UNIT_KNOWN_DEFECT_HPP
#define ASIO_EWYK_TEST_UNIT_KNOWN_DEFECT_HPP

#include <boost/test/unit_test.hpp>

#include <chrono>

namespace support {

/// Marks a test case that fails today, in exactly one check: `* support::known_defect()` in front
/// of it. The report counts it as an expected failure. Who mends the defect takes the mark away,
/// and the test is on.
inline boost::unit_test::expected_failures known_defect()
{
    return boost::unit_test::expected_failures(1);
}

/// How long such a test waits for what never comes: all of it, each time.
inline constexpr auto defect_patience = std::chrono::seconds(3);

}

#endif
