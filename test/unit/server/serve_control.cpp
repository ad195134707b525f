// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What is seen of a serve from outside, by its handle.

#include <asio_ewyk/server/serve_control.hpp>

#include "serve_support.hpp"
#include <asio_ewyk/diagnostics/prometheus.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <sstream>
#include <stdexcept>
#include <vector>

BOOST_AUTO_TEST_SUITE(serve_control)

namespace {

using namespace support;

using by_worker = std::vector<std::size_t>;

BOOST_AUTO_TEST_CASE(before_it_begins)
{
    auto const m = ewyk::serve_control().metrics();
    BOOST_TEST(m.accepted + m.refused + m.failed + m.accept_errors == 0u);
    BOOST_TEST(m.open + m.backing_off == 0u);
    BOOST_TEST(m.open_by_worker.empty());
}

BOOST_AUTO_TEST_CASE(connections_of_each_worker)
{
    outcome over;
    ewyk::serve_control const control;
    {
        ewyk::event_loop_group workers(2), boss(1);
        auto acceptor = acceptor_of(boss);
        auto const where = acceptor.local_endpoint();
        ewyk::serve(std::move(acceptor), workers, echo, {.control = control}, over.token());
        BOOST_TEST(control.metrics().open_by_worker == (by_worker{0, 0}));
        std::deque<client> clients;
        for (int i = 0; i != 5; ++i)
            BOOST_TEST(clients.emplace_back(where).ask() == 'x');
        auto const m = control.metrics();
        BOOST_TEST(m.accepted == 5u);
        BOOST_TEST(m.open == 5u);
        BOOST_TEST(m.open_by_worker == (by_worker{3, 2}));
        clients.pop_front(); // of the first
        BOOST_TEST(eventually([&] { return control.metrics().open == 4; }));
        BOOST_TEST(control.metrics().open_by_worker == (by_worker{2, 2}));
        clients.clear();
        over.cancel();
        BOOST_TEST(over.wait());
    }
    auto const m = control.metrics();
    BOOST_TEST(m.accepted == 5u);
    BOOST_TEST(m.open == 0u);
    BOOST_TEST(m.open_by_worker == (by_worker{0, 0}));
    BOOST_TEST(m.refused + m.failed + m.accept_errors + m.backing_off == 0u);
}

BOOST_AUTO_TEST_CASE(a_chooser_gives_to_the_worker_with_the_fewest)
{
    // tag::fewest_connections[]
    ewyk::serve_control const control;
    auto const fewest = [control](auto&) {
        auto const open = control.metrics().open_by_worker;
        return std::size_t(std::min_element(open.begin(), open.end()) - open.begin());
    };
    ewyk::event_loop_group workers(3, {}, fewest), boss(1);
    // end::fewest_connections[]
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo, {.control = control}, asio::detached);
    std::deque<client> clients;
    for (int i = 0; i != 9; ++i)
        BOOST_TEST_REQUIRE(clients.emplace_back(where).ask() == 'x');
    BOOST_TEST(control.metrics().open_by_worker == (by_worker{3, 3, 3}));
    // Of the second worker all but one, of the third one.
    for (std::size_t const i : {1u, 4u, 8u})
        clients[i].close();
    BOOST_TEST(eventually([&] { return control.metrics().open == 6; }));
    BOOST_TEST(control.metrics().open_by_worker == (by_worker{3, 1, 2}));
    BOOST_TEST_REQUIRE(clients.emplace_back(where).ask() == 'x');
    BOOST_TEST(control.metrics().open_by_worker == (by_worker{3, 2, 2}));
    for (int i = 0; i != 2; ++i)
        BOOST_TEST_REQUIRE(clients.emplace_back(where).ask() == 'x');
    BOOST_TEST(control.metrics().open_by_worker == (by_worker{3, 3, 3}));
}

BOOST_AUTO_TEST_CASE(clients_without_a_place)
{
    ewyk::serve_control const control;
    ewyk::event_loop_group workers(1), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo,
        {.max_connections = 1,
            .when_full = ewyk::connections_full::refuse,
            .control = control},
        asio::detached);
    client first(where);
    BOOST_TEST(first.ask() == 'x');
    for (int i = 0; i != 3; ++i)
        BOOST_TEST(client(where).receive() == lost);
    BOOST_TEST(eventually([&] { return control.metrics().refused == 3; }));
    auto const m = control.metrics();
    BOOST_TEST(m.accepted == 1u);
    BOOST_TEST(m.open == 1u);
    BOOST_TEST(m.failed + m.accept_errors == 0u);
}

BOOST_AUTO_TEST_CASE(sessions_that_throw)
{
    ewyk::serve_control const control;
    ewyk::event_loop_group workers(1), boss(1);
    auto const session = [](tcp::socket) -> asio::awaitable<void> {
        throw std::runtime_error("thrown");
        co_return;
    };
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, session, {.control = control}, asio::detached);
    for (int i = 0; i != 3; ++i)
        BOOST_TEST(client(where).receive() == lost);
    BOOST_TEST(eventually([&] { return control.metrics().open == 0; }));
    auto const m = control.metrics();
    BOOST_TEST(m.accepted == 3u);
    BOOST_TEST(m.failed == 3u);
}

// Also where the pause does not end by itself.
BOOST_AUTO_TEST_CASE(backs_off)
{
    ewyk::serve_control const control;
    {
        ewyk::event_loop_group workers(2, {}, [](auto const&) -> std::size_t { return 7; });
        ewyk::event_loop_group boss(1);
        auto acceptor = acceptor_of(boss);
        auto const where = acceptor.local_endpoint();
        ewyk::serve(std::move(acceptor), workers, echo, {.back_off = 1h, .control = control},
            asio::detached);
        client const waits(where);
        BOOST_TEST(eventually([&] { return control.metrics().backing_off == 1; }));
        auto const m = control.metrics();
        BOOST_TEST(m.failed == 1u);
        BOOST_TEST(m.accepted == 0u);
        BOOST_TEST(m.open == 0u);
    }
    BOOST_TEST(control.metrics().backing_off == 0u);
}

BOOST_AUTO_TEST_CASE(a_worker_that_refuses)
{
    event begun, go_on;
    ewyk::serve_control const control;
    ewyk::event_loop_group workers(2, {.max_pending_tasks = 1});
    ewyk::event_loop boss;
    asio::post(workers[0], [&] {
        begun.set();
        go_on.wait();
    });
    BOOST_TEST(begun.wait());
    asio::post(workers[0], [] {}); // the one that may wait
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo, {.control = control}, asio::detached);
    client c(where);
    BOOST_TEST(c.ask() == 'x');
    BOOST_TEST(control.metrics().open_by_worker == (by_worker{0, 1}));
    BOOST_TEST(control.metrics().failed == 0u);
    go_on.set();
}

// Counters never fall, also when the server is started again.
BOOST_AUTO_TEST_CASE(several_operations_add_up)
{
    ewyk::serve_control const control;
    ewyk::event_loop_group workers(2), boss(1);
    for (int i = 0; i != 2; ++i)
    {
        outcome first_over, second_over;
        auto first = acceptor_of(boss), second = acceptor_of(boss);
        client a, b;
        auto const at = first.local_endpoint(), and_at = second.local_endpoint();
        ewyk::serve(std::move(first), workers, echo, {.control = control}, first_over.token());
        ewyk::serve(std::move(second), workers, echo, {.control = control}, second_over.token());
        a.connect(at);
        b.connect(and_at);
        BOOST_TEST(a.ask() == 'x');
        BOOST_TEST(b.ask() == 'x');
        BOOST_TEST(control.metrics().open == 2u);
        BOOST_TEST(control.metrics().open_by_worker.size() == 2u);
        a.close();
        b.close();
        first_over.cancel();
        second_over.cancel();
        BOOST_TEST(first_over.wait());
        BOOST_TEST(second_over.wait());
    }
    BOOST_TEST(control.metrics().accepted == 4u);
    BOOST_TEST(control.metrics().open == 0u);
}

BOOST_AUTO_TEST_CASE(more_places)
{
    ewyk::serve_control control;
    ewyk::event_loop_group workers(1), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo, {.max_connections = 1, .control = control},
        asio::detached);
    client first(where), second(where);
    BOOST_TEST(first.ask() == 'x');
    second.send('y');
    BOOST_TEST(control.metrics().accepted == 1u);
    control.max_connections(2);
    BOOST_TEST(second.receive() == 'y');
    BOOST_TEST(control.metrics().open == 2u);
}

// Open connections go on.
BOOST_AUTO_TEST_CASE(fewer_places)
{
    ewyk::serve_control control;
    ewyk::event_loop_group workers(1), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo,
        {.when_full = ewyk::connections_full::refuse, .control = control}, asio::detached);
    client first(where), second(where);
    BOOST_TEST(first.ask() == 'x');
    BOOST_TEST(second.ask() == 'x');
    control.max_connections(1);
    BOOST_TEST(client(where).receive() == lost);
    BOOST_TEST(first.ask() == 'x');
    BOOST_TEST(second.ask() == 'x');
    control.max_connections(0);
    BOOST_TEST(client(where).ask() == 'x');
}

BOOST_AUTO_TEST_CASE(a_limit_that_was_set_before)
{
    ewyk::serve_control control;
    control.max_connections(1);
    ewyk::event_loop_group workers(1), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo,
        {.max_connections = 10,
            .when_full = ewyk::connections_full::refuse,
            .control = control},
        asio::detached);
    client first(where);
    BOOST_TEST(first.ask() == 'x');
    BOOST_TEST(client(where).receive() == lost);
}

// Clients were not there sooner than the rate allows.
BOOST_AUTO_TEST_CASE(a_rate)
{
    ewyk::serve_control control;
    ewyk::event_loop_group workers(1), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo, {.control = control}, asio::detached);
    BOOST_TEST(client(where).ask() == 'x');
    control.max_accept_rate(10);
    auto const start = std::chrono::steady_clock::now();
    for (int i = 0; i != 4; ++i)
        BOOST_TEST(client(where).ask() == 'x');
    BOOST_TEST((std::chrono::steady_clock::now() - start >= 300ms));
}

BOOST_AUTO_TEST_CASE(on_a_page)
{
    ewyk::event_loop_group workers(2), boss(1);
    auto const where = loopback();
    auto const session = echo;
    // tag::metrics[]
    ewyk::serve_control control; // before the loops are, or after: as is convenient
    ewyk::serve(boss, workers, where, session, {.control = control}, asio::detached);

    ewyk::serve_metrics const now = control.metrics();
    ewyk::prometheus_page page;
    page.add(now, {{"serve", "http"}});
    // end::metrics[]
    std::ostringstream out;
    out << page;
    BOOST_TEST(now.open == 0u);
    auto const sample = "asio_ewyk_serve_connections{serve=\"http\"} 0\n";
    BOOST_TEST(out.str().find(sample) != std::string::npos);
}

}

BOOST_AUTO_TEST_SUITE_END()
