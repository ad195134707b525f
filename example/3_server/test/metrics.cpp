// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What /metrics says of each arrangement.

#include "arrangements.hpp"
#include "client.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

using namespace test;

namespace {

// The sum of all samples whose line begins like that; -1 if there is none.
double sum(std::string_view page, std::string_view beginning)
{
    double all = -1;
    while (!page.empty())
    {
        auto const line = page.substr(0, page.find('\n'));
        page.remove_prefix(line.size() + 1);
        if (line.starts_with(beginning))
            all = (all < 0 ? 0 : all) + std::stod(std::string(line.substr(line.rfind(' ') + 1)));
    }
    return all;
}

double tasks(std::string_view page)
{
    double all = 0;
    for (auto name : {"asio_ewyk_context_tasks_total", "asio_ewyk_pool_tasks_total",
             "asio_ewyk_loop_tasks_total"})
        all += std::max(0.0, sum(page, name));
    return all;
}

bool is_plain(arrangement const& a) { return a.name.starts_with("io_context"); }

}

BOOST_AUTO_TEST_SUITE(metrics)

BOOST_DATA_TEST_CASE(what_has_been_done, arrangements, a)
{
    listening_server server(a, "30", {"--timing"});
    client c(server.port());
    auto const before = c.ask(get("/metrics"));
    BOOST_TEST(before.status == 200);
    BOOST_TEST(before.has("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    for (int i = 0; i != 10; ++i)
        BOOST_TEST(c.ask(get("/sleep/1000")).status == 200);
    auto const after = c.ask(get("/metrics"));
    BOOST_TEST(sum(after.body, "process_cpu_seconds_total") > 0);
    BOOST_TEST(sum(after.body, "process_cpu_seconds_total")
        >= sum(before.body, "process_cpu_seconds_total"));
    if (is_plain(a))
    {
        BOOST_TEST(tasks(after.body) == 0);
        return;
    }
    // Hadoop's pool has one task, the connection.
    BOOST_TEST(tasks(after.body) >= (a.name == "hadoop" ? 1 : tasks(before.body) + 10));
    if (a.name != "hadoop")
    {
        double measured = 0;
        double time = 0;
        for (std::string const of : {"context", "pool", "loop"})
        {
            auto const name = "asio_ewyk_" + of + "_run_time_seconds_";
            measured += std::max(0.0, sum(after.body, name + "count"));
            time += std::max(0.0, sum(after.body, name + "sum"));
        }
        BOOST_TEST(measured >= 10);
        BOOST_TEST(time >= 0.01);
    }
    // Each family once, and its lines together.
    std::size_t families = 0;
    for (auto at = after.body.find("# TYPE "); at != after.body.npos;
         at = after.body.find("# TYPE ", at + 1), ++families)
    {
        auto const line = after.body.substr(at, after.body.find('\n', at) - at);
        BOOST_TEST(after.body.find(line, at + 1) == after.body.npos);
    }
    BOOST_TEST(families >= 8u);
}

BOOST_AUTO_TEST_CASE(nothing_is_measured_unless_asked_for)
{
    listening_server server(find("eat_what_you_kill"));
    client c(server.port());
    auto const page = c.ask(get("/metrics")).body;
    BOOST_TEST(sum(page, "asio_ewyk_context_tasks_total") >= 0);
    BOOST_TEST(sum(page, "asio_ewyk_context_run_time_seconds") == -1);
    auto const head = c.ask("HEAD /metrics HTTP/1.1\r\nHost: test\r\n\r\n");
    BOOST_TEST(head.status == 200);
    BOOST_TEST(c.ask(get("/metrics/")).status == 404);
}

BOOST_AUTO_TEST_SUITE_END()
