// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Callers that step, in every interleaving with those that post, stop, restart and take over.

#include "check.hpp"

BOOST_AUTO_TEST_SUITE(steps)

BOOST_DATA_TEST_CASE(all_return_and_no_task_waits, model::step_models(), each)
{
    model::check(each);
}

BOOST_AUTO_TEST_SUITE_END()
