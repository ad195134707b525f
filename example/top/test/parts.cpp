// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The parts of top: what it reads, and what it makes of that.

#include "../options.hpp"
#include "../page.hpp"
#include "../view.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(parts)

namespace {

top::options parse(std::initializer_list<char const*> more)
{
    std::vector<char const*> args{"top"};
    args.insert(args.end(), more);
    return top::parse_options(static_cast<int>(args.size()), args.data());
}

bool shows(std::string const& text, std::string const& what)
{
    return text.find(what) != text.npos;
}

std::string const before = R"(# HELP asio_ewyk_context_info x
# TYPE asio_ewyk_context_info gauge
asio_ewyk_context_info{context="a",strategy="eat_what_you_kill"} 1
asio_ewyk_context_tasks_total{context="a",sub_strategy="on_lease"} 1000
asio_ewyk_context_run_time_seconds_bucket{context="a",le="1.024e-06"} 10
asio_ewyk_context_run_time_seconds_bucket{context="a",le="0.001"} 10
asio_ewyk_context_run_time_seconds_bucket{context="a",le="+Inf"} 10
)";

std::string const after = R"(asio_ewyk_context_info{context="a",strategy="eat_what_you_kill"} 1
asio_ewyk_context_tasks_total{context="a",sub_strategy="on_lease"} 1500
asio_ewyk_context_run_time_seconds_bucket{context="a",le="1.024e-06"} 10
asio_ewyk_context_run_time_seconds_bucket{context="a",le="0.001"} 19
asio_ewyk_context_run_time_seconds_bucket{context="a",le="+Inf"} 20
)";

} // namespace

BOOST_AUTO_TEST_CASE(a_page)
{
    auto const page = top::read_page("# a comment\n\n"
                                     "a 1\n"
                                     "b{x=\"1\",y=\"\\\\ \\\" \\n }\"} 2.5e3 1700000000\n"
                                     "c{} +Inf\n"
                                     "d NaN");
    BOOST_TEST_REQUIRE(page.size() == 4u);
    BOOST_TEST(page[0].name == "a");
    BOOST_TEST(page[0].value == 1);
    BOOST_TEST(page[1].label("x") == "1");
    BOOST_TEST(page[1].label("y") == "\\ \" \n }");
    BOOST_TEST(page[1].label("z") == "");
    BOOST_TEST(page[1].value == 2500);
    BOOST_TEST(std::isinf(page[2].value));
    BOOST_TEST(std::isnan(page[3].value));
    for (auto text : {"a", "a x", "a{b=\"1\"}", "a{b 1", " 1", "{\"a\"} 1", "<html>\n", "a{b=\"",
             "a 1x"})
        BOOST_CHECK_THROW(top::read_page(text), top::bad_page);
}

BOOST_AUTO_TEST_CASE(what_happened_in_between)
{
    auto const text = top::view(top::read_page(before), top::read_page(after), 2).text();
    BOOST_TEST_MESSAGE(text);
    BOOST_TEST(shows(text, "eat_what_you_kill"));
    BOOST_TEST(shows(text, " 250 ")); // tasks a second
    // Nine of ten in the second bucket, the last one beyond all.
    BOOST_TEST(shows(text, "1 ms"));
    BOOST_TEST(shows(text, ">17 s"));
    BOOST_TEST(!shows(text, "pool"));
}

BOOST_AUTO_TEST_CASE(a_server_that_was_started_again_counts_from_zero)
{
    auto const text = top::view(top::read_page(after), top::read_page(before), 1).text();
    BOOST_TEST(shows(text, " 1000 "));
}

BOOST_AUTO_TEST_CASE(a_label_that_would_move_the_cursor)
{
    auto const text =
        top::view({}, top::read_page("asio_ewyk_loop_tasks_total{loop=\"\x1b[2J\"} 1\n"), 1).text();
    BOOST_TEST(!shows(text, "\x1b"));
    BOOST_TEST(shows(text, "?[2J"));
}

BOOST_AUTO_TEST_CASE(connections_of_a_serve)
{
    auto const text =
        top::view(top::read_page("asio_ewyk_serve_accepted_total{serve=\"http\"} 5\n"),
            top::read_page(R"(asio_ewyk_serve_accepted_total{serve="http"} 1005
asio_ewyk_serve_accept_errors_total{serve="http"} 21
asio_ewyk_serve_connections{serve="http"} 77
asio_ewyk_serve_worker_connections{serve="http",worker="0"} 33
asio_ewyk_serve_worker_connections{serve="http",worker="1"} 44
asio_ewyk_serve_workers_left_out{serve="http"} 3
)"),
            2)
            .text();
    BOOST_TEST_MESSAGE(text);
    BOOST_TEST(shows(text, "serve "));
    BOOST_TEST(shows(text, "http "));
    for (auto figure : {" 500 ", " 21 ", " 77 ", " 44 ", " 3\n"})
        BOOST_TEST(shows(text, figure));
    BOOST_TEST(!shows(text, " 33 "));
}

// Of a server that is compiled with Asio's hook.
BOOST_AUTO_TEST_CASE(operations_and_sites)
{
    auto const before = top::read_page(R"(
asio_ewyk_tracking_handlers_total{kind="socket",operation="async_receive",site="/x/a.cpp:41"} 100
asio_ewyk_tracking_run_seconds_total{kind="socket",operation="async_receive",site="/x/a.cpp:41"} 1
)");
    auto const now = top::read_page(R"(
asio_ewyk_tracking_operations{kind="socket",operation="async_receive",state="pending"} 17
asio_ewyk_tracking_operations{kind="socket",operation="async_receive",state="destroyed"} 23
asio_ewyk_tracking_handlers_total{kind="socket",operation="async_receive",site="/x/a.cpp:41"} 900
asio_ewyk_tracking_run_seconds_total{kind="socket",operation="async_receive",site="/x/a.cpp:41"} 2
asio_ewyk_tracking_run_seconds_max{kind="socket",operation="async_receive",site="/x/a.cpp:41"} 0.5
asio_ewyk_tracking_blocks_total{kind="socket",operation="async_receive",site="/x/a.cpp:41"} 40
asio_ewyk_tracking_block_seconds_total{kind="socket",operation="async_receive",site="/x/a.cpp:41"} 1
asio_ewyk_tracking_handlers_total{kind="timer",operation="async_wait",site="std::vector<a/b>"} 8
asio_ewyk_tracking_run_seconds_total{kind="timer",operation="async_wait",site="std::vector<a/b>"} 3
asio_ewyk_tracking_waits_total{kind="timer",operation="async_wait",site="std::vector<a/b>"} 4
asio_ewyk_tracking_wait_seconds_total{kind="timer",operation="async_wait",site="std::vector<a/b>"} 8
)");
    auto const text = [&](top::site_order o) { return top::view(before, now, 2, o).text(); };
    auto const by_time = text(top::site_order::ran);
    BOOST_TEST_MESSAGE(by_time);
    BOOST_TEST(shows(by_time, "socket async_receive "));
    for (auto figure : {" 17 ", " 23\n", " 400 ", " 0.500 ", " 1.25 ms ", " 500 ms ", " 2 s ",
             " 20 ", " 25 ms\n", " 0          -\n"})
        BOOST_TEST(shows(by_time, figure), figure);
    BOOST_TEST(shows(by_time, "\na.cpp:41 socket async_receive"));
    BOOST_TEST(shows(by_time, "\nstd::vector<a/b> timer async_wait"));
    BOOST_TEST(by_time.find("a.cpp:41") > by_time.find("std::vector"));
    auto const by_number = text(top::site_order::handlers);
    BOOST_TEST(by_number.find("a.cpp:41") < by_number.find("std::vector"));
    auto const by_wait = text(top::site_order::waited);
    BOOST_TEST(by_wait.find("a.cpp:41") > by_wait.find("std::vector"));
    auto const by_block = text(top::site_order::blocked);
    BOOST_TEST(by_block.find("a.cpp:41") < by_block.find("std::vector"));
    BOOST_TEST(!shows(by_time, "nothing that counts"));
}

BOOST_AUTO_TEST_CASE(a_page_of_something_else)
{
    BOOST_TEST(shows(top::view({}, top::read_page("go_threads 7\n"), 1).text(), "no context"));
}

BOOST_AUTO_TEST_CASE(command_line)
{
    BOOST_TEST(parse({}).port == "8080");
    BOOST_TEST(parse({}).count == 0);
    BOOST_TEST(parse({"--once"}).count == 1);
    BOOST_TEST(parse({"-n", "3"}).count == 3);
    BOOST_TEST((parse({"--interval", "0.5"}).interval == std::chrono::milliseconds(500)));
    BOOST_TEST((parse({}).sort == top::site_order::ran));
    BOOST_TEST((parse({"--sort", "waited"}).sort == top::site_order::waited));
    BOOST_TEST((parse({"--sort", "blocked"}).sort == top::site_order::blocked));
    BOOST_CHECK_THROW(parse({"--sort", "x"}), top::usage_error);
    BOOST_CHECK_THROW(parse({"--port", "0"}), top::usage_error);
    BOOST_CHECK_THROW(parse({"--port", "x"}), top::usage_error);
    BOOST_CHECK_THROW(parse({"--interval", "0"}), top::usage_error);
    BOOST_CHECK_THROW(parse({"--interval", "nan"}), top::usage_error);
    BOOST_CHECK_THROW(parse({"--count", "-1"}), top::usage_error);
    BOOST_CHECK_THROW(parse({"--once", "--count", "1"}), top::usage_error);
    BOOST_CHECK_THROW(parse({"--path", "metrics"}), top::usage_error);
    BOOST_CHECK_THROW(parse({"--path", "/a b"}), top::usage_error);
    BOOST_CHECK_THROW(parse({"word"}), top::usage_error);
    BOOST_CHECK_THROW(parse({"--nonsense"}), top::usage_error);
}

BOOST_AUTO_TEST_SUITE_END()
