// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A session that ends when its client is silent, as the documentation has it.

#include <asio_ewyk/server/serve.hpp>
#include <asio_ewyk/strategy_context.hpp>

#include "serve_support.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <array>
#include <chrono>
#include <variant>

BOOST_AUTO_TEST_SUITE(serve_idle)

namespace {

using namespace support;

// tag::idle[]
asio::awaitable<void> session(tcp::socket socket, std::chrono::nanoseconds idle_timeout)
{
    using namespace asio::experimental::awaitable_operators;
    asio::steady_timer timer(socket.get_executor());
    std::array<char, 1024> data;
    for (;;)
    {
        timer.expires_after(idle_timeout);
        // A tuple: with `||`, an exception would wait for the timer.
        auto const first = co_await (
            socket.async_read_some(asio::buffer(data), asio::as_tuple(asio::use_awaitable))
            || timer.async_wait(asio::use_awaitable));
        if (first.index() == 1)
            co_return; // the client was silent for that long
        auto const [error, n] = std::get<0>(first);
        if (error)
            co_return;
        co_await asio::async_write(socket, asio::buffer(data, n), asio::use_awaitable);
    }
}
// end::idle[]

// tag::on_a_strand[]
// For a strategy_context: the session, with all that it begins, runs on a strand.
asio::awaitable<void> session_on_a_strand(tcp::socket socket, std::chrono::nanoseconds idle_timeout)
{
    auto const strand = asio::make_strand(socket.get_executor());
    co_await asio::co_spawn(strand, session(std::move(socket), idle_timeout), asio::use_awaitable);
}
// end::on_a_strand[]

class server
{
public:
    explicit server(std::chrono::nanoseconds idle_timeout)
    {
        auto acceptor = acceptor_of(boss_);
        where = acceptor.local_endpoint();
        ewyk::serve(std::move(acceptor), workers_,
            [=](tcp::socket s) { return session(std::move(s), idle_timeout); },
            {.control = control}, asio::detached);
    }

    ewyk::serve_control control;
    tcp::endpoint where;

private:
    ewyk::event_loop_group workers_{2}, boss_{1};
};

BOOST_AUTO_TEST_CASE(a_silent_client)
{
    server s(1ms);
    BOOST_TEST(client(s.where).receive() == lost);
    BOOST_TEST(eventually([&] { return s.control.metrics().open == 0; }));
    BOOST_TEST(s.control.metrics().failed == 0u);
}

// The timer does not keep the session of a client that leaves.
BOOST_AUTO_TEST_CASE(a_client_that_asks_and_leaves)
{
    server s(1h);
    {
        client c(s.where);
        BOOST_TEST(c.ask('a') == 'a');
        BOOST_TEST(c.ask('b') == 'b');
    }
    BOOST_TEST(eventually([&] { return s.control.metrics().open == 0; }));
    BOOST_TEST(s.control.metrics().failed == 0u);
}

BOOST_AUTO_TEST_CASE(a_silent_client_of_a_context)
{
    ewyk::serve_control control;
    run_by_a_thread<ewyk::strategy_context> context;
    auto acceptor = acceptor_of(context);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), context,
        [](tcp::socket s) { return session_on_a_strand(std::move(s), 1ms); },
        {.control = control}, asio::detached);
    BOOST_TEST(client(where).receive() == lost);
    BOOST_TEST(eventually([&] { return control.metrics().open == 0; }));
    BOOST_TEST(control.metrics().failed == 0u);
}

}

BOOST_AUTO_TEST_SUITE_END()
