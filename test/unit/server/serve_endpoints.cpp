// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Acceptors of the caller's with one limit, and sockets that other programs do not get.

#include <asio_ewyk/server/serve.hpp>

#include "serve_support.hpp"

#include <string>
#include <vector>

#if defined(__linux__)
#include <fcntl.h>
#include <unistd.h>
#endif

BOOST_AUTO_TEST_SUITE(serve_endpoints)

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

BOOST_AUTO_TEST_CASE(no_acceptor)
{
    std::vector<tcp::acceptor> none;
    ewyk::event_loop worker;
    BOOST_CHECK_EXCEPTION(ewyk::serve(std::move(none), worker, echo, asio::detached),
        std::invalid_argument, [](auto const& e) {
            return std::string(e.what()) == "serve: acceptors must be at least 1, not 0";
        });
}

#if defined(__linux__)
bool is_closed_on_exec(int descriptor)
{
    return (::fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0;
}

// All that the operation opens, and the sockets that it accepts.
BOOST_AUTO_TEST_CASE(sockets_are_closed_on_exec)
{
    std::promise<bool> closes;
    ewyk::event_loop worker, boss;
    auto const where = [] {
        asio::io_context context;
        return tcp::acceptor(context, loopback()).local_endpoint();
    }();
    auto const session = [&](tcp::socket socket) -> asio::awaitable<void> {
        closes.set_value(is_closed_on_exec(socket.native_handle()));
        co_return;
    };
    auto const inherited = [] {
        int n = 0;
        for (int d = 0; d != 1000; ++d)
            n += ::fcntl(d, F_GETFD) == 0;
        return n;
    };
    int const before = inherited();
    ewyk::serve(boss, worker, where, session, asio::detached);
    BOOST_TEST(inherited() == before);
    client const c(where);
    BOOST_TEST(closes.get_future().get());
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
    ewyk::event_loop_group workers(2), boss(2);
    unsigned short const port = 0; // of the system's choice, for each
    // tag::endpoints[]
    std::vector<tcp::acceptor> acceptors;
    tcp::acceptor& six_only = acceptors.emplace_back(boss.next(), tcp::v6());
    six_only.set_option(asio::ip::v6_only(true));
    six_only.bind({tcp::v6(), port});
    six_only.listen();
    acceptors.emplace_back(boss.next(), tcp::endpoint(tcp::v4(), port));
    // end::endpoints[]
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
    ewyk::event_loop_group workers(2);
    ewyk::event_loop boss;
    auto tcp_acceptor = acceptor_of(boss);
    auto const where = tcp_acceptor.local_endpoint();
    // tag::protocols[]
    using any = asio::generic::stream_protocol;
    auto const session = [](any::socket socket) -> asio::awaitable<void> {
        co_await asio::async_write(socket, asio::buffer("!", 1), asio::use_awaitable);
    };
    std::vector<asio::basic_socket_acceptor<any>> acceptors;
    acceptors.emplace_back(std::move(tcp_acceptor));
    acceptors.emplace_back(asio::local::stream_protocol::acceptor(boss, path));
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
    ewyk::event_loop worker, boss, ended;
    std::vector<tcp::acceptor> acceptors;
    acceptors.push_back(acceptor_of(boss));
    acceptors.push_back(acceptor_of(ended));
    ended.stop();
    BOOST_CHECK_THROW(ewyk::serve(std::move(acceptors), worker, echo, asio::detached),
        boost::system::system_error);
}

}

BOOST_AUTO_TEST_SUITE_END()
