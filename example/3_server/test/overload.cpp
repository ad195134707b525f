// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// With --max-queue-delay the server refuses what has waited for too long.

#include "arrangements.hpp"
#include "client.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <string>

using namespace test;

BOOST_AUTO_TEST_SUITE(overload)

// One thread answers, and the requests come at once.
BOOST_AUTO_TEST_CASE(refuses_what_has_waited)
{
    listening_server server(find("produce_consume"), "60", {"--max-queue-delay", "1"});
    std::deque<client> clients;
    for (int i = 0; i != 12; ++i)
        clients.emplace_back(server.port());
    std::size_t answered = 0;
    std::size_t refused = 0;
    // If the machine is slow they may not have come at once.
    auto const give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (refused == 0 && std::chrono::steady_clock::now() < give_up)
    {
        for (client& c : clients)
            c.send(get("/cpu/30000"));
        for (client& c : clients)
        {
            auto const status = c.receive_answer().status;
            BOOST_TEST((status == 200 || status == 503));
            ++(status == 200 ? answered : refused);
        }
    }
    BOOST_TEST(answered != 0u);
    BOOST_TEST(refused != 0u);
    auto const page = clients.front().ask(get("/metrics"));
    BOOST_TEST(page.status == 200);
    auto const line = "asio_ewyk_shed_refused_total{context=\"0\",reason=\"overload\"} "
        + std::to_string(refused) + "\n";
    BOOST_TEST(page.body.find(line) != page.body.npos, page.body);
    server.end();
}

// Others keep the server busy meanwhile.
BOOST_AUTO_TEST_CASE(turns_clients_away_at_once)
{
    listening_server server(
        find("produce_consume"), "60", {"--max-queue-delay", "1", "--shed", "503"});
    std::deque<client> busy;
    for (int i = 0; i != 12; ++i)
        BOOST_TEST(busy.emplace_back(server.port()).ask(get("/fast")).status == 200);
    std::size_t sent = 0;
    auto const keep_busy = [&] {
        for (client& c : busy)
            c.send(get("/cpu/10000"));
        ++sent;
    };
    keep_busy();
    std::size_t turned_away = 0;
    auto const give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (turned_away < 3 && std::chrono::steady_clock::now() < give_up)
    {
        keep_busy();
        std::deque<client> clients;
        for (int i = 0; i != 5; ++i)
            clients.emplace_back(server.port());
        // It has sent nothing when it is turned away, or sends in vain.
        for (client& c : clients)
            c.send(get("/fast"));
        for (client& c : clients)
        {
            auto const answer = c.receive_answer();
            if (!answer.has("Connection: close"))
                continue; // there was no overload, or the request was refused
            BOOST_TEST(answer.status == 503);
            BOOST_TEST(c.ended());
            ++turned_away;
        }
        for (client& c : busy)
            c.receive_answer();
        --sent;
    }
    BOOST_TEST(turned_away >= 3u);
    for (; sent != 0; --sent)
        for (client& c : busy)
            BOOST_TEST(c.receive_answer().status != 0);
    auto const page = busy.front().ask(get("/metrics"));
    auto const line = "http_turned_away_total " + std::to_string(turned_away) + "\n";
    BOOST_TEST(page.body.find(line) != page.body.npos, page.body);
    server.end();
}

BOOST_DATA_TEST_CASE(answers_everything_without_an_overload, arrangements, a)
{
    if (a.name == "hadoop")
        return;    // takes no such option
    listening_server server(a, "30", {"--max-queue-delay", "60000", "--shed", "503"});
    client c(server.port());
    for (int i = 0; i != 10; ++i)
        BOOST_TEST(c.ask(get("/fast")).status == 200);
    server.end();
}

BOOST_AUTO_TEST_SUITE_END()
