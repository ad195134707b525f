// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A serve whose workers end, and which goes on with the others.

#include <asio_ewyk/server/serve.hpp>

#include "serve_support.hpp"

#include <array>
#include <memory>

BOOST_AUTO_TEST_SUITE(serve_workers)

namespace {

using namespace support;

// Client 0 is on worker 0, and so on.
template <std::size_t N>
std::array<std::unique_ptr<client>, N> one_each(tcp::endpoint const& where)
{
    std::array<std::unique_ptr<client>, N> all;
    for (auto& c : all)
    {
        c = std::make_unique<client>(where);
        BOOST_TEST(c->ask() == 'x');
    }
    return all;
}

BOOST_AUTO_TEST_CASE(one_ends)
{
    outcome over;
    ewyk::serve_control const control;
    ewyk::event_loop_group workers(3), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo,
        {.control = control}, over.token());
    {
        auto const before = one_each<3>(where);
        BOOST_TEST(workers[1].shutdown_gracefully(0ms, patience));
        BOOST_TEST(before[0]->ask() == 'x');
        BOOST_TEST(before[2]->ask() == 'x');
#if defined(ASIO_EWYK_HAS_LINUX)
        BOOST_TEST(before[1]->receive() == lost);
#endif
        auto const after = one_each<6>(where);
        auto const now = control.metrics();
        BOOST_TEST(now.open_by_worker[0] == 4u);
        BOOST_TEST(now.open_by_worker[2] == 4u);
        BOOST_TEST(now.passed_over == 2u);
        BOOST_TEST(now.workers_left_out == 1u);
        BOOST_TEST(now.failed == 0u);
    }
    over.cancel();
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
}

// It ends after the handler that runs. Meanwhile the others have all clients.
BOOST_AUTO_TEST_CASE(one_is_stopped_and_does_not_end_yet)
{
    outcome over;
    event runs, enough;
    ewyk::event_loop_group workers(2), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo, over.token());
    asio::post(workers[0], [&] {
        runs.set();
        enough.wait();
    });
    BOOST_TEST(runs.wait());
    workers[0].stop();
    one_each<4>(where);
    enough.set();
    over.cancel();
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
}

BOOST_AUTO_TEST_CASE(one_ended_before)
{
    for (bool const began : {true, false})
    {
        outcome over;
        ewyk::event_loop_group workers(2), boss(1);
        if (began)
            workers[1].start();
        BOOST_TEST(workers[1].shutdown_gracefully(0ms, patience));
        auto acceptor = acceptor_of(boss);
        auto const where = acceptor.local_endpoint();
        ewyk::serve(std::move(acceptor), workers, echo, over.token());
        for (int i = 0; i != 4; ++i)
            BOOST_TEST(client(where).ask() == 'x');
        over.cancel();
        BOOST_TEST(over.wait());
        BOOST_TEST(!over.failure());
    }
}

BOOST_AUTO_TEST_CASE(one_after_the_other_ends)
{
    outcome over;
    ewyk::event_loop_group workers(3), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo, over.token());
    for (auto& worker : workers)
    {
        BOOST_TEST(client(where).ask() == 'x');
        BOOST_TEST(worker.shutdown_gracefully(0ms, patience));
    }
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
    BOOST_CHECK_THROW(client{where}, boost::system::system_error);
}

// What a worker had when it ended takes no place from the others.
BOOST_AUTO_TEST_CASE(places_of_one_that_ends)
{
    ewyk::event_loop_group workers(2), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo, {.max_connections = 2}, asio::detached);
    auto const before = one_each<2>(where);
    client waits(where);
    BOOST_TEST(workers[0].shutdown_gracefully(0ms, patience));
    BOOST_TEST(waits.ask() == 'x');
    BOOST_TEST(before[1]->ask() == 'x');
}

// Its sessions are told when its shutdown begins, and may finish in the quiet period.
BOOST_AUTO_TEST_CASE(sessions_of_one_that_is_shut_down)
{
    outcome over;
    gathering told;
    ewyk::event_loop_group workers(2), boss(1);
    auto const session = [&](tcp::socket socket) -> asio::awaitable<void> {
        co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
        try
        {
            co_await echo(std::move(socket));
        }
        catch (boost::system::system_error const&)
        {
            // It had answered, but did not read again yet.
        }
        told.arrive();
    };
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, session, {.cancel_sessions = true}, over.token());
    auto const clients = one_each<2>(where);
    auto done = workers[0].async_shutdown_gracefully(patience / 2, patience, asio::use_future);
    BOOST_TEST(told.wait_for(1));
    BOOST_TEST(clients[0]->receive() == lost);
    BOOST_TEST(clients[1]->ask() == 'x');
    workers[0].stop();
    done.wait();
    over.cancel();
    BOOST_TEST(over.wait());
}

}

BOOST_AUTO_TEST_SUITE_END()
