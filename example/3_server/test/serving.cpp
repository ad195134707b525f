// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Well-formed requests get what they ask for, in order, from every arrangement of contexts.

#include "arrangements.hpp"
#include "client.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

using namespace test;

BOOST_AUTO_TEST_SUITE(serving)

BOOST_DATA_TEST_CASE(paths_and_methods, arrangements, a)
{
    listening_server server(a);
    auto const address = "127.0.0.1:" + std::to_string(server.port());
    BOOST_TEST(server.greeting() == "listening on " + address + " (" + a.name + ")");

    // All on one connection.
    client c(server.port());
    auto const fast = c.ask(get("/fast"));
    BOOST_TEST(fast.status == 200);
    BOOST_TEST(fast.body == "fast\n");
    BOOST_TEST(!fast.has("Connection:"));
    auto const head = c.ask("HEAD /fast HTTP/1.1\r\nHost: test\r\n\r\n");
    BOOST_TEST(head.head == fast.head);
    BOOST_TEST(c.ask(get("/sleep/1000")).body == "slept\n");
    BOOST_TEST(c.ask(get("/sleep/0")).status == 200);
    BOOST_TEST(c.ask(get("/cpu/1000")).body == "burnt\n");
    for (auto path : {"/", "/fas", "/fast/", "/fastest", "/sleep", "/cpu", "/nothing", "*"})
        BOOST_TEST(c.ask(get(path)).status == 404);
    for (auto path : {"/sleep/", "/sleep/x", "/sleep/1x", "/sleep/10000001", "/cpu/-1"})
        BOOST_TEST(c.ask(get(path)).status == 400);

    // A body is read and ignored, and what follows it is the next request.
    for (auto method : {"POST", "PUT", "DELETE", "OPTIONS", "UNHEARD-OF"})
    {
        auto const refused = c.ask(std::string(method)
            + " /fast HTTP/1.1\r\nHost: test\r\nContent-Length: 65536\r\n\r\n"
            + std::string(65536, 'x'));
        BOOST_TEST(refused.status == 405);
        BOOST_TEST(refused.has("Allow: GET, HEAD\r\n"));
    }
    auto const chunks = c.ask(
        "POST /fast HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"
        "5;x=\"y\"\r\nhello\r\nA\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n");
    BOOST_TEST(chunks.status == 405);
    BOOST_TEST(c.ask(get("/fast", "Content-Length: 5\r\n") + "hello").status == 200);
    BOOST_TEST(c.ask(get("/fast", "Many: " + std::string(7000, 'x') + "\r\n")).status == 200);

    auto const last = c.ask(get("/fast", "Connection: close\r\n"));
    BOOST_TEST(last.status == 200);
    BOOST_TEST(last.has("Connection: close\r\n"));
    BOOST_TEST(c.ended());
    // 5 that work, 8 + 5 paths that do not, 5 methods, 3 with body or long fields, the last.
    BOOST_TEST(server.end().starts_with("served 27 requests "));
}

BOOST_DATA_TEST_CASE(when_a_connection_ends, arrangements, a)
{
    listening_server server(a);
    {
        client c(server.port());
        BOOST_TEST(c.ask("GET /fast HTTP/1.0\r\n\r\n").has("Connection: close\r\n"));
        BOOST_TEST(c.ended());
    }
    {
        client c(server.port());
        for (int i = 0; i != 3; ++i)
        {
            auto const kept = c.ask("GET /fast HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
            BOOST_TEST(kept.has("Connection: keep-alive\r\n"));
            BOOST_TEST(kept.body == "fast\n");
        }
    }
    {
        // The client has said its last word, and still wants an answer.
        client c(server.port());
        c.send(get("/fast") + get("/sleep/1000"));
        c.shutdown();
        BOOST_TEST(c.receive_answer().status == 200);
        BOOST_TEST(c.receive_answer().status == 200);
        BOOST_TEST(c.ended());
    }
    {
        // A client that asks whether to send the body is told not to.
        client c(server.port());
        auto const told = c.ask("POST /fast HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\n"
                                "Content-Length: 10\r\n\r\n");
        BOOST_TEST(told.status == 405);
        BOOST_TEST(c.ended());
    }
}

BOOST_DATA_TEST_CASE(pipelined_requests_are_answered_in_order, arrangements, a)
{
    listening_server server(a);
    client c(server.port());
    std::deque<int> expected;
    std::string text;
    for (int i = 0; i != 500; ++i)
    {
        auto const kind = i % 5;
        expected.push_back(kind == 3 ? 404 : kind == 4 ? 405 : 200);
        text += kind == 1 ? get("/sleep/1")
            : kind == 3   ? get("/" + std::to_string(i))
            : kind == 4   ? "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nGET"
                          : get("/fast");
    }
    // Split at every place there is, sooner or later.
    std::size_t piece = 1;
    for (std::string_view rest = text; !rest.empty(); piece = piece % 97 + 1)
    {
        BOOST_REQUIRE(c.send(rest.substr(0, piece)));
        rest.remove_prefix(std::min(piece, rest.size()));
    }
    for (auto const status : expected)
        BOOST_REQUIRE_EQUAL(c.receive_answer().status, status);
    BOOST_TEST(server.end().starts_with("served 500 requests "));
}

BOOST_DATA_TEST_CASE(blocked_handlers_block_nobody_else, arrangements, a)
{
    if (!a.survives_blocking)
        return;
    listening_server server(a, "30", {"--threads", "8"});
    std::deque<client> sleepers;
    for (int i = 0; i != 4; ++i)
        sleepers.emplace_back(server.port()).send(get("/sleep/5000000"));
    for (int i = 0; i != 4; ++i)
    {
        client c(server.port());
        for (int j = 0; j != 10; ++j)
            BOOST_TEST(c.ask(get("/fast")).status == 200);
    }
    for (auto& sleeper : sleepers)
        BOOST_TEST(!ready(sleeper.fd(), POLLIN));
}

BOOST_AUTO_TEST_CASE(hadoop_refuses_clients_beyond_its_threads)
{
    listening_server server(find("hadoop"), "30", {"--threads", "2"});
    client first(server.port());
    BOOST_TEST(first.ask(get("/fast")).status == 200);
    std::optional<client> second(server.port());
    BOOST_TEST(second->ask(get("/fast")).status == 200);
    client third(server.port());
    BOOST_TEST(third.ended());

    // A place becomes free some time after its client has gone.
    second.reset();
    int status = 0;
    for (auto const end = steady_clock::now() + patience; status == 0;)
    {
        BOOST_REQUIRE(steady_clock::now() < end);
        status = client(server.port()).ask(get("/fast")).status;
    }
    BOOST_TEST(status == 200);
    BOOST_TEST(first.ask(get("/fast")).status == 200);
    BOOST_TEST(server.end().starts_with("served 4 requests "));
}

BOOST_AUTO_TEST_CASE(requests_that_find_kafkas_queue_full_wait)
{
    listening_server server(find("kafka"), "30", {"--threads", "1"});
    client busy(server.port());
    BOOST_TEST(busy.ask(get("/fast")).status == 200);
    busy.send(get("/sleep/500000"));
    std::deque<client> many;
    for (int i = 0; i != 520; ++i)
        many.emplace_back(server.port()).send(get("/fast"));
    BOOST_TEST(busy.receive_answer().status == 200);
    for (auto& c : many)
        BOOST_TEST(c.receive_answer().status == 200);
    BOOST_TEST(server.end().starts_with("served 522 requests "));
}

BOOST_DATA_TEST_CASE(a_signal_lets_it_finish_what_it_began, arrangements, a)
{
    for (int const number : {SIGTERM, SIGINT})
    {
        listening_server server(a);
        client idle(server.port());
        BOOST_TEST(idle.ask(get("/fast")).status == 200);
        client half(server.port());
        half.send("GET /fast HTTP/1.1\r\nHo");
        client busy(server.port());
        BOOST_TEST(busy.ask(get("/fast")).status == 200);
        busy.send(get("/sleep/200000"));
        server.signal(number);

        auto const last = busy.receive_answer();
        // It may have ended the connection before it saw the request, but not in its middle.
        BOOST_TEST((last.status == 200 || last.status == 0));
        BOOST_TEST(busy.ended());
        BOOST_TEST(idle.ended());
        BOOST_TEST(server.read_line().starts_with("served "));
        BOOST_TEST(server.wait() == 0);
    }
}

BOOST_AUTO_TEST_SUITE_END()
