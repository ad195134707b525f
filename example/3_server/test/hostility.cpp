// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Whatever a client does, it gets a refusal or a closed connection, and no other client notices.

#include "arrangements.hpp"
#include "client.hpp"
#include "hostile.hpp"
#include "well_behaved.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <list>
#include <set>
#include <string>
#include <thread>

using namespace test;

namespace {

/// Half of the time after which a server gives a client up in the tests that wait for that.
constexpr std::chrono::milliseconds half_a_second(500);

/// Sends one byte of the text every now and then until the server has had enough, and says how
/// it ended: with which status, or 0 without a word.
class dripper
{
public:
    dripper(unsigned short port, std::string at_once, std::string drip)
      : client_(port), drip_(std::move(drip))
    {
        client_.send(at_once);
    }

    /// True when the connection has ended.
    bool step()
    {
        if (ready(client_.fd(), POLLIN))
        {
            answer_ = client_.receive_answer();
            return true;
        }
        if (!drip_.empty())
            client_.send_some(std::string_view(drip_).substr(at_++ % drip_.size(), 1));
        return false;
    }

    int status() const noexcept { return answer_.status; }

private:
    client client_;
    std::string drip_;
    std::size_t at_ = 0;
    answer answer_;
};

}

BOOST_AUTO_TEST_SUITE(hostility)

BOOST_DATA_TEST_CASE(bad_requests_are_refused, arrangements, a)
{
    listening_server server(a);
    well_behaved good(server.port());
    for (auto const& bad : bad_requests())
    {
        BOOST_TEST_CONTEXT(bad.what)
        {
            client c(server.port());
            c.send(bad.text);
            c.shutdown();
            auto const refusal = c.receive_answer();
            BOOST_TEST(refusal.status == bad.status);
            BOOST_TEST(refusal.has("Content-Length: "));
            BOOST_TEST(c.ended());
        }
    }
    BOOST_TEST(good.finish() == "");
    BOOST_TEST(good.served() > 0);
}

BOOST_DATA_TEST_CASE(mutated_requests_harm_nobody, arrangements, a)
{
    static std::set<int> const possible = {200, 400, 404, 405, 413, 431};
    static std::string const start = "HTTP/1.1 ";
    listening_server server(a);
    well_behaved good(server.port());
    mutator make(20);
    std::size_t refused = 0;
    for (int i = 0; i != 1500; ++i)
    {
        auto const text = make.next();
        client c(server.port());
        c.send(text);
        // Some tell the server that nothing more will come, some are gone before it can answer.
        if (i % 8 == 0)
            continue;
        c.shutdown();
        auto const said = c.receive_all();
        BOOST_REQUIRE(said.empty() || said.starts_with(start));
        for (auto at = said.find(start); at != said.npos; at = said.find(start, at + 1))
        {
            auto const status = std::stoi(said.substr(at + start.size(), 3));
            BOOST_REQUIRE_MESSAGE(possible.contains(status), text << said);
            refused += status >= 400;
        }
    }
    BOOST_TEST(refused > 500);
    BOOST_TEST(good.finish() == "");
    BOOST_TEST(server.end().starts_with("served "));
}

BOOST_DATA_TEST_CASE(slow_clients_are_given_up, different_arrangements, a)
{
    listening_server server(a, "1");
    well_behaved good(server.port(), half_a_second);
    std::list<dripper> slow;
    for (int i = 0; i != 20; ++i)
    {
        slow.emplace_back(server.port(), "", "");
        slow.emplace_back(server.port(), get("/fast").substr(0, 20), "");
        slow.emplace_back(server.port(), "GET /fast HTTP/1.1\r\nHost: test\r\n", "A: b\r\n");
        slow.emplace_back(server.port(), "GET /", "x");
        slow.emplace_back(server.port(),
            "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 50000\r\n\r\n", "x");
        slow.emplace_back(server.port(),
            "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n");
    }
    auto const all = slow.size();
    std::size_t told = 0;
    for (auto const end = steady_clock::now() + patience; !slow.empty();)
    {
        BOOST_REQUIRE_MESSAGE(steady_clock::now() < end, slow.size() << " are still open");
        slow.remove_if([&](dripper& d) {
            if (!d.step())
                return false;
            BOOST_TEST((d.status() == 408 || d.status() == 0));
            told += d.status() == 408;
            return true;
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    BOOST_TEST(told > all / 6);
    BOOST_TEST(good.finish() == "");
}

BOOST_DATA_TEST_CASE(clients_that_do_not_read_are_given_up, different_arrangements, a)
{
    listening_server server(a, "1");
    well_behaved good(server.port(), half_a_second);
    std::deque<client> deaf;
    for (int i = 0; i != 4; ++i)
        deaf.emplace_back(server.port());
    std::string requests;
    for (int i = 0; i != 1500; ++i)
        requests += get("/fast");
    // What fits into the sockets is many megabytes; then the server must stop reading.
    for (auto& c : deaf)
    {
        std::string_view rest = requests;
        for (auto const end = steady_clock::now() + patience;;)
        {
            BOOST_REQUIRE(steady_clock::now() < end);
            auto const sent = c.send_some(rest);
            if (sent < 0)
                break;
            rest.remove_prefix(static_cast<std::size_t>(sent));
            if (rest.empty())
                rest = requests;
            if (sent == 0)
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    BOOST_TEST(good.finish() == "");
}

BOOST_DATA_TEST_CASE(clients_that_reset_are_forgotten, arrangements, a)
{
    listening_server server(a);
    well_behaved good(server.port());
    for (int i = 0; i != 300; ++i)
    {
        client c(server.port());
        c.send(i % 3 == 0 ? get("/fast") : i % 3 == 1 ? get("/sleep/1") : "GET /fa");
        ::linger const reset{1, 0};
        ::setsockopt(c.fd(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    }
    BOOST_TEST(good.finish() == "");
    BOOST_TEST(server.end().starts_with("served "));
}

BOOST_DATA_TEST_CASE(running_out_of_descriptors_is_survived, arrangements, a)
{
    // A server that refuses needs a limit that is not reached before the descriptors are gone.
    listening_server server(a, "30", {"--threads", a.refuses ? "40" : "4"}, 40);
    std::list<client> many;
    while (many.size() != 100)
        many.emplace_back(server.port());
    BOOST_TEST(server.read_error().starts_with("http_server: cannot accept for the moment: "));
    // As these go, those in the backlog get their turn.
    client last(server.port());
    last.send(get("/fast"));
    many.clear();
    BOOST_TEST(last.receive_answer().status == 200);
    server.end();
}

BOOST_AUTO_TEST_SUITE_END()
