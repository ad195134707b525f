// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// With --stall-threshold the server names a handler that takes long, while it does.

#include "arrangements.hpp"
#include "client.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <string>

using namespace test;

BOOST_AUTO_TEST_SUITE(stalls)

BOOST_DATA_TEST_CASE(names_the_handler_of_a_slow_request, arrangements, a)
{
    if (a.name.starts_with("io_context") || a.name == "hadoop")
        return;    // no handlers of the library's
    listening_server server(a, "30", {"--stall-threshold", "50"});
    client c(server.port());
    c.send(get("/sleep/10000000"));
    // The report comes while the handler still sleeps: the test does not wait for ten seconds.
    // Another handler may have been held up before.
    auto line = server.read_error();
    while (!line.empty() && line.find("responder.hpp:") == line.npos)
        line = server.read_error();
    BOOST_TEST(line.starts_with("asio_ewyk: a handler of "), line);
    BOOST_TEST(line.find("responder.hpp:") != line.npos, line);
    BOOST_TEST(line.find("answer") != line.npos, line);
    BOOST_TEST(!ready(c.fd(), POLLIN));
}

BOOST_AUTO_TEST_CASE(says_nothing_by_default)
{
    listening_server server(find("eat_what_you_kill"));
    client c(server.port());
    BOOST_TEST(c.ask(get("/sleep/300000")).status == 200);
    server.end();
    BOOST_TEST(server.read_error() == "");
}

BOOST_AUTO_TEST_SUITE_END()
