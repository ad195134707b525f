// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A framework that makes its own context, as it is; with stand_in.hpp; with a pool for
// what blocks.

#include "framework_server.hpp"
#include "http_client.hpp"
#include "support.hpp"

BOOST_AUTO_TEST_SUITE(framework)

// Which of them is to pass depends on the server that is linked.

BOOST_AUTO_TEST_CASE(the_others_do_not_wait)
{
    apps::asked questions;
    apps::framework_server server(questions);
    apps::expect_that_the_others_run<apps::http_client>(server, questions, 4, 8, 20);
}

BOOST_AUTO_TEST_CASE(the_others_wait)
{
    apps::asked questions;
    apps::framework_server server(questions);
    apps::expect_that_the_others_wait<apps::http_client>(server, questions);
}

BOOST_AUTO_TEST_SUITE_END()
