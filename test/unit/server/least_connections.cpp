// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/loop/chooser.hpp>

#include "serve_support.hpp"
#include <asio_ewyk/strategy_context.hpp>

#include <deque>
#include <memory>
#include <vector>

BOOST_AUTO_TEST_SUITE(least_connections)

namespace {

using namespace support;

using by_worker = std::vector<std::size_t>;

// Nothing is served yet: all have none.
BOOST_AUTO_TEST_CASE(equals_come_in_turn)
{
    ewyk::event_loop_group group(3, {}, ewyk::least_connections(ewyk::serve_control()));
    for (std::size_t i = 0; i != 9; ++i)
        BOOST_TEST(&group.next() == &group[i % 3]);
}

BOOST_AUTO_TEST_CASE(fills_up_where_connections_have_ended)
{
    // tag::least_connections[]
    ewyk::serve_control const control;
    ewyk::event_loop_group workers(3, {}, ewyk::least_connections(control)), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo, {.control = control}, asio::detached);
    // end::least_connections[]
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

BOOST_AUTO_TEST_CASE(one_that_has_ended_is_left_out)
{
    ewyk::event_loop_group group(2, {}, ewyk::least_connections(ewyk::serve_control()));
    BOOST_TEST(group[1].shutdown_gracefully(0ms, patience));
    for (int i = 0; i != 4; ++i)
        BOOST_TEST(&group.next() == &group[0]);
    BOOST_TEST(group[0].shutdown_gracefully(0ms, patience));
    BOOST_CHECK_NO_THROW(group.next());
}

BOOST_AUTO_TEST_CASE(of_other_contexts)
{
    ewyk::context_group<ewyk::strategy_context> group(2,
        [](std::size_t) { return std::make_unique<ewyk::strategy_context>(); },
        ewyk::least_connections(ewyk::serve_control()));
    BOOST_TEST(&group.next() == &group[0]);
    BOOST_TEST(&group.next() == &group[1]);
    BOOST_TEST(&group.next() == &group[0]);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
