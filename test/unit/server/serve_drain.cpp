// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What becomes of sessions when serve is cancelled.

#include <asio_ewyk/server/serve.hpp>

#include "serve_support.hpp"
#include <asio_ewyk/strategy_context.hpp>

#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <stdexcept>

BOOST_AUTO_TEST_SUITE(serve_drain)

namespace {

using namespace support;

// Ends when nothing is being asked, if it is cancelled then.
asio::awaitable<void> polite(tcp::socket socket)
{
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
    co_await echo(std::move(socket));
}

// Waits for something that never comes, and not for the client.
asio::awaitable<void> stubborn(tcp::socket socket)
{
    char c;
    co_await socket.async_read_some(asio::buffer(&c, 1), asio::use_awaitable);
    co_await asio::async_write(socket, asio::buffer(&c, 1), asio::use_awaitable);
    asio::steady_timer never(socket.get_executor(), asio::steady_timer::time_point::max());
    co_await never.async_wait(asio::use_awaitable);
}

#if defined(ASIO_EWYK_HAS_LINUX)
template <class Workers>
void close_idle_connections()
{
    outcome over;
    Workers workers;
    ewyk::event_loop boss;
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo, {.drain = 1ms}, over.token());
    client idle(where), other(where);
    BOOST_TEST(idle.ask() == 'x');
    BOOST_TEST(other.ask() == 'x');
    over.cancel();
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
    BOOST_TEST(idle.receive() == lost);
    BOOST_TEST(other.receive() == lost);
}

// They never end by themselves.
BOOST_AUTO_TEST_CASE(idle_connections_are_closed)
{
    struct two_loops : ewyk::event_loop_group
    {
        two_loops() : ewyk::event_loop_group(2) {}
    };
    close_idle_connections<two_loops>();
    close_idle_connections<run_by_a_thread<ewyk::strategy_context>>();
    close_idle_connections<run_by_a_thread<asio::io_context>>();
}

// Netty's closeAll(): the client does not wait for the loops' destruction.
BOOST_AUTO_TEST_CASE(workers_that_are_shut_down_close_their_connections)
{
    outcome over;
    ewyk::event_loop_group workers(2);
    ewyk::event_loop boss;
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo,
        {.drain = std::chrono::nanoseconds::max()}, over.token());
    client first(where), second(where);
    BOOST_TEST(first.ask() == 'x');
    BOOST_TEST(second.ask() == 'x');
    BOOST_TEST(workers[0].shutdown_gracefully(0ms, patience));
    BOOST_TEST(first.receive() == lost);
    BOOST_TEST(second.ask() == 'x');
    BOOST_TEST(workers.shutdown_gracefully(0ms, patience));
    BOOST_TEST(second.receive() == lost);
    BOOST_TEST(over.wait());
}

#if defined(ASIO_EWYK_TEST_HAS_NO_DESCRIPTORS)
// Nothing can be opened for that.
BOOST_AUTO_TEST_CASE(out_of_descriptors)
{
    outcome over;
    ewyk::event_loop_group workers(2);
    ewyk::event_loop boss;
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo, {.drain = 0ns}, over.token());
    client first(where), second(where), third(where);
    for (client* c : {&first, &second, &third})
        BOOST_TEST(c->ask() == 'x');
    {
        no_descriptors const none;
        BOOST_TEST(workers[0].shutdown_gracefully(0ms, patience));
        BOOST_TEST(first.receive() == lost);
        BOOST_TEST(third.receive() == lost);
        BOOST_TEST(second.ask() == 'x');
        over.cancel();
        BOOST_TEST(over.wait());
    }
    BOOST_TEST(second.receive() == lost);
}

// It needs descriptors for that.
BOOST_AUTO_TEST_CASE(out_of_descriptors_at_first)
{
    ewyk::event_loop worker, boss;
    auto acceptor = acceptor_of(boss);
    tcp::socket const has_a_reactor(worker);
    no_descriptors const none;
    BOOST_CHECK_THROW(ewyk::serve(std::move(acceptor), worker, echo, asio::detached),
        boost::system::system_error);
}
#endif

// Another socket that has the descriptor meanwhile is none of ours.
BOOST_AUTO_TEST_CASE(a_descriptor_that_is_used_again)
{
    asio::io_context context;
    asio::local::stream_protocol::socket a(context), b(context), c(context), d(context);
    asio::local::connect_pair(a, b);
    int const descriptor = a.native_handle();
    ewyk::detail::socket_identity const of_a(descriptor);
    asio::local::connect_pair(c, d);
    BOOST_TEST_REQUIRE(::dup2(c.native_handle(), descriptor) == descriptor);
    ewyk::detail::spare_descriptor spare;
    of_a.shut_down(spare);
    char x = 'x';
    BOOST_TEST(asio::write(d, asio::buffer(&x, 1)) == 1u);
    BOOST_TEST(asio::read(c, asio::buffer(&x, 1)) == 1u);
    ewyk::detail::socket_identity const of_c(c.native_handle());
    of_c.shut_down(spare);
    boost::system::error_code error;
    d.read_some(asio::buffer(&x, 1), error);
    BOOST_TEST(error == asio::error::eof);
}
#endif

// As long as they like.
BOOST_AUTO_TEST_CASE(sessions_may_finish)
{
    outcome over;
    ewyk::event_loop worker, boss;
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), worker, echo,
        {.drain = std::chrono::nanoseconds::max(), .cancel_sessions = true}, over.token());
    client c(where);
    BOOST_TEST(c.ask() == 'x');
    over.cancel();
    BOOST_TEST(eventually([&] { return !is_served(where); }));
    BOOST_TEST(c.ask('y') == 'y');
    c.close();
    BOOST_TEST(over.wait());
}

BOOST_AUTO_TEST_CASE(sessions_that_are_told_end_at_once)
{
    outcome over;
    ewyk::event_loop_group workers(2);
    ewyk::event_loop boss;
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, polite,
        {.drain = std::chrono::nanoseconds::max(), .cancel_sessions = true}, over.token());
    client first(where), second(where), third(where);
    for (client* c : {&first, &second, &third})
        BOOST_TEST(c->ask() == 'x');
    over.cancel();
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
    for (client* c : {&first, &second, &third})
        BOOST_TEST(c->receive() == lost);
}

// The end of the connection alone would not end them.
BOOST_AUTO_TEST_CASE(sessions_that_wait_for_something_else)
{
    outcome over;
    ewyk::event_loop_group workers(2);
    ewyk::event_loop boss;
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, stubborn,
        {.drain = 1ms, .cancel_sessions = true}, over.token());
    client first(where), second(where);
    BOOST_TEST(first.ask() == 'x');
    BOOST_TEST(second.ask() == 'x');
    over.cancel();
    BOOST_TEST(over.wait());
    BOOST_TEST(first.receive() == lost);
    BOOST_TEST(second.receive() == lost);
}

// One loop that is full does not keep the others from being told.
BOOST_AUTO_TEST_CASE(sessions_beside_a_worker_that_refuses)
{
    outcome over;
    ewyk::event_loop_options limited;
    limited.max_pending_tasks = 1;
    ewyk::event_loop_group workers(2, limited);
    ewyk::event_loop boss;
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve_control const control;
    ewyk::serve(std::move(acceptor), workers, stubborn,
        {.drain = 1ms, .cancel_sessions = true, .control = control}, over.token());
    client first(where), second(where);
    BOOST_TEST(first.ask() == 'x');
    BOOST_TEST(second.ask() == 'x');
    event begun, release;
    BOOST_TEST(eventually([&] {
        try
        {
            asio::post(workers[0], [&] {
                begun.set();
                release.wait();
            });
        }
        catch (ewyk::queue_full_error const&)
        {
            return false;
        }
        return true;
    }));
    BOOST_TEST_REQUIRE(begun.wait());
    asio::post(workers[0], [] {});
    over.cancel();
    // Sessions are dealt in turn; that of the second has ended.
    BOOST_TEST(eventually([&] {
        return control.metrics().open_by_worker == std::vector<std::size_t>{1, 0};
    }));
    release.set();
    BOOST_TEST(over.wait());
}

BOOST_AUTO_TEST_CASE(an_option_that_cannot_work)
{
    ewyk::event_loop worker, boss;
    BOOST_CHECK_THROW(
        ewyk::serve(boss, worker, loopback(), echo, {.drain = -1ns}, asio::detached),
        std::invalid_argument);
}

}

BOOST_AUTO_TEST_SUITE_END()
