// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The reactor's sleep and its wake-ups in every interleaving of those that post, produce and hand
// over.

#include "check.hpp"

BOOST_AUTO_TEST_SUITE(reactor)

BOOST_DATA_TEST_CASE(loses_no_wake_up, model::reactor_models(), each)
{
    model::check(each);
}

BOOST_AUTO_TEST_SUITE_END()
