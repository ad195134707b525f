// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the server does when it cannot do what it is told.

#include "arrangements.hpp"
#include "server_process.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace test;

namespace {

/// Runs the server with these arguments until it ends; it should say one line, and nothing else.
void fails(std::vector<std::string> const& args, int code, std::string const& expected)
{
    server_process server(server_program(), args);
    auto const line = server.read_error();
    BOOST_TEST(line.starts_with("http_server: "));
    BOOST_TEST(line.find(expected) != line.npos, line << " lacks: " << expected);
    BOOST_TEST(server.read_error() == "");
    BOOST_TEST(server.read_line() == "");
    BOOST_TEST(server.wait() == code);
}

}

BOOST_AUTO_TEST_SUITE(command_line)

BOOST_AUTO_TEST_CASE(bad_options)
{
    fails({"--nonsense"}, 2, "--nonsense");
    fails({"word"}, 2, "positional");
    fails({"--port"}, 2, "--port");
    fails({"--port", "eighty"}, 2, "eighty");
    fails({"--port", "65536"}, 2, "from 0 to 65535");
    fails({"--port", "-1"}, 2, "from 0 to 65535");
    fails({"--port", "1", "--port", "2"}, 2, "more than once");
    fails({"--threads", "0"}, 2, "from 1 to 1000");
    fails({"--threads", "-1"}, 2, "from 1 to 1000");
    fails({"--threads", "1.5"}, 2, "1.5");
    fails({"--timeout", "0"}, 2, "--timeout");
    fails({"--timeout", "-1"}, 2, "--timeout");
    fails({"--timeout", "nan"}, 2, "--timeout");
    fails({"--timeout", "inf"}, 2, "--timeout");
    fails({"--stall-threshold", "-1"}, 2, "from 0 to 1000000");
    fails({"--stall-threshold", "soon"}, 2, "soon");
    fails({"--max-queue-delay", "-1"}, 2, "from 0 to 1000000");
    fails({"--shed", "404", "--max-queue-delay", "1"}, 2, "must be 503, not '404'");
    fails({"--address", "nowhere"}, 2, "nowhere");
    fails({"--address", "127.0.0.1:80"}, 2, "127.0.0.1:80");
    fails({"--strategy", "eat_what_you_like"}, 2, "eat_what_you_like");
    fails({"--model", "apache"}, 2, "apache");
    fails({"--model", ""}, 2, "unknown model ''");
    for (auto const& a : arrangements)
        fails({a.option, "?"}, 2, a.name);
}

BOOST_AUTO_TEST_CASE(options_that_do_not_go_together)
{
    fails({"--model", "netty", "--strategy", "io_context"}, 2, "exclude each other");
    // Also if the strategy is the default.
    fails({"-s", "eat_what_you_kill", "-m", "jetty"}, 2, "exclude each other");
    for (auto const& a : arrangements)
        if (a.option == "--model" && a.name != "jetty")
            fails({"--model", a.name, "--grace", "50"}, 2, "for the model " + a.name);
    fails({"--model", "hadoop", "--max-queue-delay", "1"}, 2, "for the model hadoop");
    fails({"--shed", "503"}, 2, "without --max-queue-delay");
    fails({"--model", "netty", "--threads", "0"}, 2, "from 1 to 1000");
    listening_server(find("jetty"), "30", {"--grace", "50"}).end();
}

BOOST_DATA_TEST_CASE(a_port_in_use, arrangements, a)
{
    listening_server first(a);
    auto const port = std::to_string(first.port());
    fails({a.option, a.name, "--port", port}, 1,
        "cannot listen on 127.0.0.1:" + port + ": Address already in use");
    first.end();
}

BOOST_AUTO_TEST_CASE(an_address_of_somebody_else)
{
    fails({"--address", "192.0.2.1"}, 1, "cannot listen on 192.0.2.1:8080: ");
}

BOOST_AUTO_TEST_CASE(help)
{
    server_process server(server_program(), {"--help", "--port", "0"});
    auto const text = server.read_all();
    for (auto const& a : arrangements)
        BOOST_TEST(text.find(a.name) != text.npos);
    for (auto option : {"--strategy", "--model", "--threads", "--grace", "--address", "--port",
             "--timeout", "--max-queue-delay", "--shed", "--stall-threshold", "--timing", "--help"})
        BOOST_TEST(text.find(option) != text.npos);
    BOOST_TEST(server.wait() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
