// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The servers that are measured answer rightly.

#define BOOST_TEST_MODULE servers
#include "3_server/test/client.hpp"
#include "3_server/test/hostile.hpp"
#include "3_server/test/server_process.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <vector>

using namespace test;

namespace {

/// A server of this folder, listening.
class listening : public server_process
{
public:
    listening(std::string const& name, std::vector<std::string> args)
      : server_process(folder() + "/" + name, std::move(args))
    {
        read_greeting();
    }

private:
    static std::string folder()
    {
        auto const& suite = boost::unit_test::framework::master_test_suite();
        BOOST_REQUIRE_MESSAGE(suite.argc == 2, "usage: test_servers -- <the servers' folder>");
        return suite.argv[1];
    }
};

class epoll_server : public listening
{
public:
    epoll_server() : listening("epoll_server", {}) {}
};

}

BOOST_AUTO_TEST_SUITE(bare_epoll)

BOOST_AUTO_TEST_CASE(paths_and_methods)
{
    epoll_server server;
    client c(server.port());
    auto const fast = c.ask(get("/fast"));
    BOOST_TEST(fast.status == 200);
    BOOST_TEST(fast.body == "fast\n");
    BOOST_TEST(c.ask("HEAD /fast HTTP/1.1\r\nHost: test\r\n\r\n").head == fast.head);
    BOOST_TEST(c.ask(get("/sleep/1000")).body == "slept\n");
    BOOST_TEST(c.ask(get("/cpu/1000")).body == "burnt\n");
    BOOST_TEST(c.ask(get("/nothing")).status == 404);
    BOOST_TEST(c.ask("POST /fast HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nGET").status == 405);
    BOOST_TEST(c.ask(get("/fast", "Connection: close\r\n")).has("Connection: close\r\n"));
    BOOST_TEST(c.ended());
}

BOOST_AUTO_TEST_CASE(requests_in_pieces_of_any_size)
{
    epoll_server server;
    auto const text = get("/fast");
    for (std::size_t piece = 1; piece <= text.size(); piece += 7)
    {
        client c(server.port());
        for (std::string_view rest = text; !rest.empty();)
        {
            BOOST_REQUIRE(c.send(rest.substr(0, piece)));
            rest.remove_prefix(std::min(piece, rest.size()));
        }
        BOOST_TEST(c.receive_answer().status == 200);
    }
}

BOOST_AUTO_TEST_CASE(pipelined_requests_are_answered_in_order)
{
    epoll_server server;
    client c(server.port());
    // Answers that are not read until the last request is sent: the server waits to write.
    std::deque<int> expected;
    std::string text;
    std::size_t const enough = 8 * 1024 * 1024;
    while (text.size() < enough)
    {
        expected.push_back(expected.size() % 3 == 2 ? 404 : 200);
        text += get(expected.back() == 404 ? "/nothing" : "/fast");
    }
    for (std::string_view rest = text; !rest.empty();)
    {
        auto const sent = c.send_some(rest);
        BOOST_REQUIRE(sent >= 0);
        rest.remove_prefix(static_cast<std::size_t>(sent));
        if (sent != 0)
            continue;
        // The one waits for the other to read.
        await(c.fd(), POLLOUT | POLLIN, "go on");
        while (!ready(c.fd(), POLLOUT))
        {
            BOOST_REQUIRE_EQUAL(c.receive_answer().status, expected.front());
            expected.pop_front();
        }
    }
    c.shutdown();
    for (auto const status : expected)
        BOOST_REQUIRE_EQUAL(c.receive_answer().status, status);
    BOOST_TEST(c.ended());
}

BOOST_AUTO_TEST_CASE(bad_requests_are_refused)
{
    epoll_server server;
    client other(server.port());
    for (auto const& bad : bad_requests())
    {
        BOOST_TEST_CONTEXT(bad.what)
        {
            client c(server.port());
            c.send(bad.text);
            c.shutdown();
            BOOST_TEST(c.receive_answer().status == bad.status);
            BOOST_TEST(c.ended());
            BOOST_TEST(other.ask(get("/fast")).status == 200);
        }
    }
}

BOOST_AUTO_TEST_CASE(clients_that_leave_harm_nobody)
{
    epoll_server server;
    client other(server.port());
    mutator make(21);
    ::linger const reset{1, 0};
    for (int i = 0; i != 500; ++i)
    {
        client c(server.port());
        c.send(make.next());
        if (i % 2 == 0)
            ::setsockopt(c.fd(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    }
    BOOST_TEST(other.ask(get("/fast")).status == 200);
}

BOOST_AUTO_TEST_SUITE_END()

static std::vector<std::vector<std::string>> const arrangements = {
    {"io_context", "1"},
    {"io_context", "4"},
    {"io_context+serve", "1"},
    {"event_loop", "1"},
    {"event_loops", "2"},
    {"produce_consume", "4"},
    {"produce_execute_consume", "4"},
    {"execute_produce_consume", "4"},
    {"eat_what_you_kill", "4"},
    {"eat_what_you_kill", "4", "50"},
};
static std::vector<std::string> const executors = {"any", "own"};

BOOST_AUTO_TEST_SUITE(echo)

BOOST_DATA_TEST_CASE(it_sends_back_what_it_gets,
    boost::unit_test::data::xrange(arrangements.size()) * executors, i, executor)
{
    auto args = arrangements[i];
    args.insert(args.begin(), executor);
    listening server("echo_server", args);
    std::deque<client> clients;
    for (int n = 0; n != 8; ++n)
        clients.emplace_back(server.port());
    for (std::string const& text : {std::string(64, 'a'), std::string(5000, 'b')})
        for (int round = 0; round != 20; ++round)
            for (auto& c : clients)
                BOOST_REQUIRE(c.send(text));
    for (auto& c : clients)
    {
        c.shutdown();
        BOOST_TEST(c.receive_all() == std::string(20 * 64, 'a') + std::string(20 * 5000, 'b'));
    }
    // One that connects after others have left.
    client late(server.port());
    late.send("late");
    late.shutdown();
    BOOST_TEST(late.receive_all() == "late");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(requests)

BOOST_DATA_TEST_CASE(they_are_answered_in_order,
    boost::unit_test::data::make(std::vector<std::string>{"own", "any", "coroutine"})
        * boost::unit_test::data::make(std::vector<std::string>{"io_context", "hand_tuned",
            "event_loop", "produce_consume", "produce_consume+section", "eat_what_you_kill",
            "eat_what_you_kill+native", "eat_what_you_kill+declared"}),
    form, arrangement)
{
    if (form != "own" && arrangement.ends_with("+declared"))
        return;
    if (form == "coroutine" && (arrangement == "hand_tuned" || arrangement.ends_with("+section")))
        return;
    listening server("request_server", {form, arrangement, "4"});
    client slow(server.port());
    BOOST_REQUIRE(slow.send(get("/sleep/1000") + get("/cpu/1000") + get("/fast")));
    client other(server.port());
    for (int i = 0; i != 20; ++i)
        BOOST_TEST(other.ask(get("/fast")).body == "fast\n");
    BOOST_TEST(slow.receive_answer().body == "slept\n");
    BOOST_TEST(slow.receive_answer().body == "burnt\n");
    BOOST_TEST(slow.receive_answer().body == "fast\n");
    slow.send("no request\r\n\r\n");
    BOOST_TEST(slow.ended());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(bad_arguments)

void are_refused(std::string const& name, std::vector<std::vector<std::string>> const& all)
{
    for (auto const& args : all)
    {
        server_process server(
            std::string(boost::unit_test::framework::master_test_suite().argv[1]) + "/" + name,
            args);
        BOOST_TEST(server.read_error().starts_with(name + ": "));
        BOOST_TEST(server.wait() == 1);
    }
}

BOOST_AUTO_TEST_CASE(of_the_echo_server)
{
    are_refused("echo_server",
        {{}, {"any", "io_context"}, {"other", "io_context", "1"}, {"any", "nothing", "1"},
            {"own", "io_context", "many"}, {"any", "eat_what_you_kill", "9999999"}});
}

BOOST_AUTO_TEST_CASE(of_the_request_server)
{
    are_refused("request_server",
        {{}, {"any", "io_context"}, {"other", "io_context", "1"}, {"any", "nothing", "1"},
            {"own", "io_context", "many"}, {"coroutine", "hand_tuned", "1"},
            {"coroutine", "produce_consume+section", "1"}, {"any", "eat_what_you_kill+declared", "1"},
            {"coroutine", "eat_what_you_kill+declared", "1"},
            {"any", "io_context", "1", "/no/such/file"}});
}

BOOST_AUTO_TEST_SUITE_END()
