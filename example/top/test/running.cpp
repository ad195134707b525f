// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The program, beside a server that runs.

#include "../../3_server/test/client.hpp"
#include "../../3_server/test/server_process.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(running)

namespace {

using test::server_process;

std::string program(int i)
{
    auto const& suite = boost::unit_test::framework::master_test_suite();
    BOOST_REQUIRE_MESSAGE(
        suite.argc == 3, "usage: test_top -- <the server's path> <the path of top>");
    return suite.argv[i];
}

std::vector<std::string> of(server_process const& server, std::vector<std::string> more)
{
    more.insert(more.end(), {"--port", std::to_string(server.port()), "--interval", "0.05"});
    return more;
}

std::size_t times(std::string const& text, std::string const& what)
{
    std::size_t n = 0;
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1))
        ++n;
    return n;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_block_for_each_look)
{
    server_process server(program(1), {"--timing", "--port", "0"});
    server.read_greeting();
    server_process top(program(2), of(server, {"--count", "3"}));
    auto const text = top.read_all();
    BOOST_TEST(top.wait() == 0);
    BOOST_TEST(times(text, "/metrics, the last ") == 3u);
    BOOST_TEST(times(text, "\ncontext ") == 3u);
    BOOST_TEST(times(text, "\npool ") == 3u);
    BOOST_TEST(times(text, "eat_what_you_kill") == 3u);
    BOOST_TEST(times(text, "\x1b") == 0u); // it is not a terminal
}

BOOST_AUTO_TEST_CASE(loops)
{
    server_process server(program(1), {"--timing", "--port", "0", "--model", "netty"});
    server.read_greeting();
    server_process top(program(2), of(server, {"--once"}));
    auto const text = top.read_all();
    BOOST_TEST(top.wait() == 0);
    BOOST_TEST(times(text, "\nloop ") == 1u);
    BOOST_TEST(times(text, "\nworker-0 ") == 1u);
    BOOST_TEST(times(text, "\noffload ") == 1u);
}

// It ends with a word when the server ends.
BOOST_AUTO_TEST_CASE(no_server_any_more)
{
    server_process server(program(1), {"--port", "0"});
    server.read_greeting();
    server_process top(program(2), of(server, {}));
    BOOST_TEST(top.read_line().find("/metrics") != std::string::npos);
    server.signal(SIGTERM);
    BOOST_TEST(server.wait() == 0);
    BOOST_TEST(top.read_error().starts_with("top: cannot read 127.0.0.1:"));
    BOOST_TEST(top.wait() == 1);
}

BOOST_AUTO_TEST_CASE(what_it_cannot_do)
{
    server_process server(program(1), {"--port", "0"});
    server.read_greeting();
    {
        server_process top(program(2), of(server, {"--path", "/nothing"}));
        BOOST_TEST(top.read_error().find("answers 404") != std::string::npos);
        BOOST_TEST(top.wait() == 1);
    }
    {
        server_process top(program(2), of(server, {"--path", "/fast"}));
        BOOST_TEST(top.read_error() == "top: not a sample: fast");
        BOOST_TEST(top.wait() == 1);
    }
    server_process top(program(2), {"--port", "0"});
    BOOST_TEST(top.read_error().starts_with("top: --port must be "));
    BOOST_TEST(top.wait() == 2);
}

BOOST_AUTO_TEST_CASE(help)
{
    server_process top(program(2), {"--help"});
    auto const text = top.read_all();
    for (auto option : {"--host", "--port", "--path", "--interval", "--count", "--once", "--help"})
        BOOST_TEST(text.find(option) != text.npos);
    BOOST_TEST(top.wait() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
