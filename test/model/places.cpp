// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The pool's places: how many of its threads may produce while tasks wait for one.

#include "check.hpp"

BOOST_AUTO_TEST_SUITE(places)

BOOST_DATA_TEST_CASE(one_thread_is_left_for_tasks, model::place_models(), each)
{
    model::check(each);
}

BOOST_AUTO_TEST_SUITE_END()
