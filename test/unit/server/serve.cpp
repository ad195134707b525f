// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/server/serve.hpp>

#include "serve_support.hpp"
#include <asio_ewyk/strategy_context.hpp>

#include <deque>
#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

BOOST_AUTO_TEST_SUITE(serve)

namespace {

using namespace support;

void serves(tcp::endpoint const& where, outcome& over)
{
    std::deque<client> clients;
    for (int i = 0; i != 20; ++i)
        clients.emplace_back(where);
    for (client& c : clients)
        c.send('a');
    for (client& c : clients)
        BOOST_TEST(c.receive() == 'a');
    over.cancel();
    for (client& c : clients)
        BOOST_TEST(c.ask('b') == 'b'); // live sessions go on
    clients.clear();
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
}

template <class Boss, class Workers>
void serves(Boss& boss, Workers& workers, outcome& over)
{
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo, over.token());
    serves(where, over);
}

BOOST_AUTO_TEST_CASE(boss_and_workers)
{
    outcome over;
    ewyk::event_loop_group workers(3), boss(1);
    serves(boss, workers, over);
}

BOOST_AUTO_TEST_CASE(one_loop_is_boss_and_worker)
{
    outcome over;
    ewyk::event_loop loop;
    serves(loop, loop, over);
}

BOOST_AUTO_TEST_CASE(one_group_is_boss_and_workers)
{
    outcome over;
    ewyk::event_loop_group group(2);
    serves(group, group, over);
}

BOOST_AUTO_TEST_CASE(one_strategy_context)
{
    outcome over;
    run_by_a_thread<ewyk::strategy_context> context;
    serves(context, context, over);
}

BOOST_AUTO_TEST_CASE(a_group_of_strategy_contexts)
{
    outcome over;
    ewyk::event_loop boss;
    ewyk::context_group<run_by_a_thread<ewyk::strategy_context>> workers(
        2, [](std::size_t) { return std::make_unique<run_by_a_thread<ewyk::strategy_context>>(); });
    serves(boss, workers, over);
}

BOOST_AUTO_TEST_CASE(plain_io_contexts)
{
    outcome over;
    run_by_a_thread<asio::io_context> boss, workers;
    serves(boss, workers, over);
}

BOOST_AUTO_TEST_CASE(sessions_are_dealt_in_turn_and_stay)
{
    std::mutex mutex;
    std::map<std::size_t, int> sessions; // of each loop
    ewyk::event_loop_group workers(3), boss(1);
    auto const session = [&](tcp::socket socket) -> asio::awaitable<void> {
        std::size_t i = 0;
        while (!workers[i].in_event_loop())
            ++i;
        {
            std::lock_guard const lock(mutex);
            ++sessions[i];
        }
        char c;
        while (co_await socket.async_read_some(asio::buffer(&c, 1), asio::use_awaitable))
        {
            bool const stays = workers[i].in_event_loop();
            c = stays ? 'y' : 'n';
            co_await asio::async_write(socket, asio::buffer(&c, 1), asio::use_awaitable);
        }
    };
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, session, asio::detached);
    std::deque<client> clients;
    for (int i = 0; i != 30; ++i)
        clients.emplace_back(where);
    for (client& c : clients)
    {
        BOOST_TEST(c.ask() == 'y');
        BOOST_TEST(c.ask() == 'y');
    }
    clients.clear();
    std::lock_guard const lock(mutex);
    for (std::size_t i = 0; i != 3; ++i)
        BOOST_TEST(sessions[i] == 10);
}

BOOST_AUTO_TEST_CASE(clients_wait_for_a_place)
{
    std::atomic<int> live{0};
    std::atomic<int> most{0};
    ewyk::event_loop_group workers(2), boss(1);
    auto const session = [&](tcp::socket socket) -> asio::awaitable<void> {
        for (int now = ++live, before = most; now > before; before = most)
            if (most.compare_exchange_strong(before, now))
                break;
        co_await echo(std::move(socket));
        --live;
    };
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, session, {.max_connections = 2}, asio::detached);
    std::deque<client> clients;
    for (int i = 0; i != 10; ++i)
        clients.emplace_back(where).send('a');
    for (; !clients.empty(); clients.pop_front())
        BOOST_TEST(clients.front().receive() == 'a');
    BOOST_TEST(most <= 2);
}

BOOST_AUTO_TEST_CASE(clients_without_a_place_are_refused)
{
    ewyk::event_loop_group workers(2), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo,
        {.max_connections = 1, .when_full = ewyk::connections_full::refuse}, asio::detached);
    client first(where);
    BOOST_TEST(first.ask() == 'x');
    BOOST_TEST(client(where).receive() == lost);
    BOOST_TEST(client(where).receive() == lost);
    BOOST_TEST(first.ask() == 'x');
    first.close();
    BOOST_TEST(eventually([&] { return is_served(where); }));
}

#if defined(__linux__)
// How many sockets of this network listen at that port.
std::size_t listeners_at(unsigned short port)
{
    std::ostringstream local;
    local << ':' << std::hex << std::uppercase << std::setw(4) << std::setfill('0') << port << ' ';
    std::size_t n = 0;
    std::ifstream table("/proc/net/tcp");
    for (std::string line; std::getline(table, line);)
        if (auto const at = line.find(local.str()); at != line.npos && at < 20)
            n += line.find(" 0A ") != line.npos;
    return n;
}

BOOST_AUTO_TEST_CASE(each_loop_of_the_boss_listens)
{
    outcome over;
    ewyk::event_loop_group workers(2), boss(3);
    auto const where = [] {
        asio::io_context context;
        return tcp::acceptor(context, loopback()).local_endpoint();
    }();
    ewyk::serve(boss, workers, where, echo, {.reuse_port = true}, over.token());
    BOOST_TEST(listeners_at(where.port()) == 3u);
    {
        std::deque<client> clients;
        for (int i = 0; i != 60; ++i)
            clients.emplace_back(where).send('a');
        for (client& c : clients)
            BOOST_TEST(c.receive() == 'a');
    }
    over.cancel();
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
    BOOST_CHECK_THROW(client{where}, boost::system::system_error); // no listener any more
}
#endif

#if defined(__linux__)
BOOST_AUTO_TEST_CASE(sockets_have_the_acceptor_s_options)
{
    std::promise<bool> no_delay, keep_alive;
    ewyk::event_loop_group workers(1), boss(1);
    auto const session = [&](tcp::socket socket) -> asio::awaitable<void> {
        tcp::no_delay d;
        socket.get_option(d);
        no_delay.set_value(d.value());
        asio::socket_base::keep_alive k;
        socket.get_option(k);
        keep_alive.set_value(k.value());
        co_return;
    };
    auto acceptor = acceptor_of(boss);
    acceptor.set_option(tcp::no_delay(true));
    acceptor.set_option(asio::socket_base::keep_alive(true));
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, session, asio::detached);
    client const c(where);
    BOOST_TEST(no_delay.get_future().get());
    BOOST_TEST(keep_alive.get_future().get());
}
#endif

#if defined(BOOST_ASIO_HAS_LOCAL_SOCKETS)
BOOST_AUTO_TEST_CASE(an_acceptor_of_another_protocol)
{
    using asio::local::stream_protocol;
    auto const path = "/tmp/asio_ewyk_serve." + std::to_string(::getpid());
    ::unlink(path.c_str());
    ewyk::event_loop_group workers(1), boss(1);
    asio::basic_socket_acceptor<stream_protocol, ewyk::event_loop::executor_type> acceptor(
        boss.next(), stream_protocol::endpoint(path));
    auto const session = [](stream_protocol::socket socket) -> asio::awaitable<void> {
        co_await asio::async_write(socket, asio::buffer("!", 1), asio::use_awaitable);
    };
    ewyk::serve(std::move(acceptor), workers, session, asio::detached);
    asio::io_context context;
    stream_protocol::socket socket(context);
    socket.connect(stream_protocol::endpoint(path));
    char c = lost;
    BOOST_TEST(asio::read(socket, asio::buffer(&c, 1)) == 1u);
    BOOST_TEST(c == '!');
    ::unlink(path.c_str());
}
#endif

BOOST_AUTO_TEST_CASE(a_session_of_the_workers_executor)
{
    ewyk::event_loop_group workers(1), boss(1);
    using executor_type = ewyk::event_loop::executor_type;
    auto const session = [](asio::basic_stream_socket<tcp, executor_type> socket)
        -> asio::awaitable<void, executor_type> {
        co_await asio::async_write(
            socket, asio::buffer("!", 1), asio::use_awaitable_t<executor_type>());
    };
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, session, asio::detached);
    BOOST_TEST(client(where).receive() == '!');
}

BOOST_AUTO_TEST_CASE(any_token)
{
    ewyk::event_loop_group workers(1), boss(1);
    {
        auto acceptor = acceptor_of(boss);
        auto const where = acceptor.local_endpoint();
        auto lazy = ewyk::serve(std::move(acceptor), workers, echo, asio::deferred);
        client waits(where); // listens already, but accepts nothing
        waits.send('a');
        outcome over;
        std::move(lazy)(over.token());
        BOOST_TEST(waits.receive() == 'a');
        over.cancel();
        waits.close();
        BOOST_TEST(over.wait());
        BOOST_TEST(!over.failure());
    }
    {
        auto acceptor = acceptor_of(boss);
        auto const where = acceptor.local_endpoint();
        std::future<void> const future =
            ewyk::serve(std::move(acceptor), workers, echo, asio::use_future);
        BOOST_TEST(client(where).ask() == 'x');
    }
    // Never begun.
    (void)ewyk::serve(boss, workers, loopback(), echo, asio::deferred);
}

BOOST_AUTO_TEST_CASE(bad_options)
{
    ewyk::event_loop_group workers(1), boss(1);
    auto const with = [&](ewyk::serve_options options) {
        ewyk::serve(boss, workers, loopback(), echo, std::move(options), asio::detached);
    };
    BOOST_CHECK_THROW(with({.back_off = 0ms}), std::invalid_argument);
    auto const taken = acceptor_of(boss);
    BOOST_CHECK_THROW(
        ewyk::serve(boss, workers, taken.local_endpoint(), echo, asio::detached),
        boost::system::system_error);
}

}

BOOST_AUTO_TEST_SUITE_END()
