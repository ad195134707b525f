// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Leases of the right to produce, in every interleaving of those that lease, take over, come and leave.

#include "check.hpp"

BOOST_AUTO_TEST_SUITE(grace)

BOOST_DATA_TEST_CASE(nobody_waits_and_one_produces, model::grace_models(), each)
{
    model::check(each);
}

BOOST_AUTO_TEST_SUITE_END()
