// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// With --trace the server writes at its end which thread did what.

#include "arrangements.hpp"
#include "client.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

using namespace test;

BOOST_AUTO_TEST_SUITE(tracing)

BOOST_AUTO_TEST_CASE(writes_a_trace_at_the_end)
{
    auto const file = std::filesystem::temp_directory_path()
        / ("http_server_trace_" + std::to_string(::getpid()) + ".json");
    listening_server server(find("eat_what_you_kill"), "30", {"--trace", file.string()});
    client c(server.port());
    BOOST_TEST(c.ask(get("/fast")).status == 200);
    BOOST_TEST(!std::filesystem::exists(file));
    server.end();
    std::ifstream in(file);
    std::string const text(std::istreambuf_iterator<char>(in), {});
    std::filesystem::remove(file);
    BOOST_TEST(text.starts_with("{"));
    BOOST_TEST(text.find("\"traceEvents\"") != text.npos);
    BOOST_TEST(text.find("\"produce\"") != text.npos);
    BOOST_TEST(text.find("\"consume\"") != text.npos);
}

BOOST_AUTO_TEST_CASE(says_that_it_cannot_write_it)
{
    listening_server server(
        find("eat_what_you_kill"), "30", {"--trace", "/nonexistent/directory/trace.json"});
    server.end();
    auto const line = server.read_error();
    BOOST_TEST(line.find("/nonexistent/directory/trace.json") != line.npos, line);
}

BOOST_AUTO_TEST_SUITE_END()
