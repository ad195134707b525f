// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Acceptors with options that Asio's own do not have, and one limit for several of them.

#include <asio_ewyk/server/listen.hpp>

#include "serve_support.hpp"
#include <asio_ewyk/server/serve.hpp>

#include <string>
#include <vector>

#if defined(__linux__)
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

BOOST_AUTO_TEST_SUITE(listen_options)

namespace {

using namespace support;

bool has_ipv6()
try
{
    asio::io_context context;
    tcp::acceptor(context, {asio::ip::address_v6::loopback(), 0});
    return true;
}
catch (boost::system::system_error const&)
{
    return false;
}

BOOST_AUTO_TEST_CASE(it_listens)
{
    ewyk::event_loop_group boss(2), workers(1);
    auto acceptor = ewyk::listen(boss, {asio::ip::address_v4::loopback(), 0});
    auto const where = acceptor.local_endpoint();
    BOOST_CHECK_THROW(ewyk::listen(boss, where), boost::system::system_error);
    ewyk::serve(std::move(acceptor), workers, echo, asio::detached);
    BOOST_TEST(client(where).ask() == 'x');
}

BOOST_AUTO_TEST_CASE(options_that_cannot_work)
{
    asio::io_context context;
    auto const with = [&](ewyk::listen_options const& options) {
        return ewyk::listen(context, loopback(), options);
    };
    BOOST_CHECK_THROW(with({.backlog = 0}), std::invalid_argument);
    std::vector<tcp::acceptor> none;
    ewyk::event_loop worker;
    BOOST_CHECK_THROW(
        ewyk::serve(std::move(none), worker, echo, asio::detached), std::invalid_argument);
}

#if defined(__linux__)
template <class Acceptor>
int option(Acceptor& acceptor, int level, int name)
{
    int value = -1;
    socklen_t size = sizeof value;
    BOOST_TEST(::getsockopt(acceptor.native_handle(), level, name, &value, &size) == 0);
    return value;
}

template <class Socket>
bool is_closed_on_exec(Socket& socket)
{
    return (::fcntl(socket.native_handle(), F_GETFD) & FD_CLOEXEC) != 0;
}

BOOST_AUTO_TEST_CASE(options_of_the_system)
{
    asio::io_context context;
    auto usual = ewyk::listen(context, loopback());
    BOOST_TEST(is_closed_on_exec(usual));
    BOOST_TEST(option(usual, SOL_SOCKET, SO_REUSEADDR) == 1);
    BOOST_TEST(option(usual, SOL_SOCKET, SO_REUSEPORT) == 0);
    auto other = ewyk::listen(context, loopback(),
        {.reuse_address = false,
            .reuse_port = true,
            .v6_only = true,
            .close_on_exec = false});
    BOOST_TEST(!is_closed_on_exec(other));
    BOOST_TEST(option(other, SOL_SOCKET, SO_REUSEADDR) == 0);
    BOOST_TEST(option(other, SOL_SOCKET, SO_REUSEPORT) == 1);
}

BOOST_AUTO_TEST_CASE(sockets_that_are_accepted_are_closed_on_exec)
{
    for (bool const close : {true, false})
    {
        std::promise<bool> closes;
        ewyk::event_loop boss, worker;
        auto acceptor = ewyk::listen(boss, loopback());
        auto const where = acceptor.local_endpoint();
        auto const session = [&](tcp::socket socket) -> asio::awaitable<void> {
            closes.set_value(is_closed_on_exec(socket));
            co_return;
        };
        ewyk::serve(std::move(acceptor), worker, session, {.close_on_exec = close},
            asio::detached);
        client const c(where);
        BOOST_TEST(closes.get_future().get() == close);
    }
}
#endif

// One limit, one end.
BOOST_AUTO_TEST_CASE(two_versions_of_ip)
{
    if (!has_ipv6())
    {
        BOOST_TEST_MESSAGE("no IPv6 here");
        return;
    }
    outcome over;
    ewyk::serve_control const control;
    ewyk::event_loop_group boss(2), workers(2);
    unsigned short const port = 0; // of the system's choice, for each
    // tag::endpoints[]
    std::vector<tcp::acceptor> acceptors;
    acceptors.push_back(ewyk::listen(boss, {tcp::v6(), port}, {.v6_only = true}));
    acceptors.push_back(ewyk::listen(boss, {tcp::v4(), port}));
    // end::endpoints[]
    asio::ip::v6_only only;
    acceptors[0].get_option(only);
    BOOST_TEST(only.value());
    auto const at_six = acceptors[0].local_endpoint().port();
    auto const at_four = acceptors[1].local_endpoint().port();
    // tag::endpoints[]
    ewyk::serve(std::move(acceptors), workers, echo, {.max_connections = 1, .control = control},
        over.token());
    // end::endpoints[]
    asio::io_context context;
    tcp::socket six(context);
    char c = 'y';
    {
        client four(loopback(at_four));
        BOOST_TEST(four.ask() == 'x');
        six.connect({asio::ip::address_v6::loopback(), at_six});
        asio::write(six, asio::buffer("y", 1));
        BOOST_TEST(four.ask() == 'x');
        BOOST_TEST(control.metrics().accepted == 1u);
    }
    BOOST_TEST(asio::read(six, asio::buffer(&c, 1)) == 1u);
    BOOST_TEST(control.metrics().accepted == 2u);
    over.cancel();
    six.close();
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
    BOOST_CHECK_THROW(client{loopback(at_four)}, boost::system::system_error);
    BOOST_CHECK_THROW(tcp::socket(context).connect({asio::ip::address_v6::loopback(), at_six}),
        boost::system::system_error);
}

#if defined(BOOST_ASIO_HAS_LOCAL_SOCKETS)
BOOST_AUTO_TEST_CASE(tcp_and_a_path)
{
    auto const path = "/tmp/asio_ewyk_endpoints." + std::to_string(::getpid());
    ::unlink(path.c_str());
    outcome over;
    ewyk::serve_control const control;
    ewyk::event_loop boss;
    ewyk::event_loop_group workers(2);
    auto tcp_acceptor = ewyk::listen(boss, loopback());
    auto const where = tcp_acceptor.local_endpoint();
    // tag::protocols[]
    using any = asio::generic::stream_protocol;
    auto const session = [](any::socket socket) -> asio::awaitable<void> {
        co_await asio::async_write(socket, asio::buffer("!", 1), asio::use_awaitable);
    };
    std::vector<asio::basic_socket_acceptor<any>> acceptors;
    acceptors.emplace_back(std::move(tcp_acceptor));
    acceptors.emplace_back(ewyk::listen(boss, asio::local::stream_protocol::endpoint(path)));
    ewyk::serve(std::move(acceptors), workers, session, {.control = control}, over.token());
    // end::protocols[]
    BOOST_TEST(client(where).receive() == '!');
    asio::io_context context;
    asio::local::stream_protocol::socket near(context);
    near.connect(asio::local::stream_protocol::endpoint(path));
    char c = lost;
    BOOST_TEST(asio::read(near, asio::buffer(&c, 1)) == 1u);
    BOOST_TEST(c == '!');
    BOOST_TEST(control.metrics().accepted == 2u);
    over.cancel();
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
    ::unlink(path.c_str());
}
#endif

// Which one does not matter: it is an error, and no shutdown.
BOOST_AUTO_TEST_CASE(one_of_them_on_a_boss_that_ended)
{
    ewyk::event_loop boss, ended, worker;
    std::vector<tcp::acceptor> acceptors;
    acceptors.push_back(ewyk::listen(boss, loopback()));
    acceptors.push_back(ewyk::listen(ended, loopback()));
    ended.stop();
    BOOST_CHECK_THROW(ewyk::serve(std::move(acceptors), worker, echo, asio::detached),
        boost::system::system_error);
}

}

BOOST_AUTO_TEST_SUITE_END()
