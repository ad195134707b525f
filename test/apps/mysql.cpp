// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Boost.MySQL, a client on a strategy_context: a query is answered while another handler blocks.

#include "stub_server.hpp"

#include "../unit/pool_support.hpp"

#include <boost/mysql.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(mysql)

namespace {

using namespace support;
namespace my = boost::mysql;
using tcp = asio::ip::tcp;

// A packet of MySQL's protocol: the length, a number, what it says.
void send(tcp::socket& to, unsigned char number, std::string const& text)
{
    std::string const head{static_cast<char>(text.size() & 0xff),
        static_cast<char>(text.size() >> 8), '\0', static_cast<char>(number)};
    asio::write(to, asio::buffer(head + text));
}

// Returns the first byte: a command.
int receive(tcp::socket& from)
{
    std::array<unsigned char, 4> head{};
    asio::read(from, asio::buffer(head));
    std::vector<unsigned char> text(std::size_t{head[0]} | std::size_t{head[1]} << 8);
    asio::read(from, asio::buffer(text));
    return text.empty() ? -1 : text.front();
}

std::string const ok("\0\0\0\x02\0\0\0", 7);

// Lets anyone in, and says that each query has changed nothing.
void talk(tcp::socket& client)
{
    using namespace std::string_literals;
    // Version 10. The capabilities are in two halves: what protocol 4.1 has, a database, plugins
    // for authentication, no packet at the end of rows.
    send(client, 0,
        "\x0a" "8.0.0\0" "\1\0\0\0" "12345678\0"s + "\x0d\xa2" "\x2d" "\x02\0" "\x2b\x01" "\x15"s
            + std::string(10, '\0') + "123456789012\0" "mysql_native_password\0"s);
    receive(client);
    send(client, 2, ok);
    while (receive(client) == 3) // COM_QUERY
        send(client, 1, ok);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_query_beside_a_handler_that_blocks)
{
    apps::stub_server const server(talk);
    event answered;
    ewyk::strategy_context ctx(ewyk::strategy_t::eat_what_you_kill);
    deadline const d(ctx);
    my::tcp_connection connection(ctx);
    bool waited = false;
    boost::system::error_code failure;
    my::diagnostics why;
    my::results result;
    my::handshake_params const params("user", "password", "database");
    connection.async_connect(server.endpoint(), params, why, [&](boost::system::error_code ec) {
        failure = ec;
        if (ec)
            return answered.set();
        asio::post(ctx, [&] {
            ewyk::blocking_section const blocks;
            waited = answered.wait();
        });
        connection.async_query("UPDATE t SET a = 1", result, why, [&](boost::system::error_code e) {
            failure = e;
            answered.set();
            boost::system::error_code ignored;
            connection.stream().close(ignored);
        });
    });
    ctx.run();
    BOOST_TEST(!failure, failure.message());
    BOOST_TEST(why.server_message() == "");
    BOOST_TEST(waited);
    BOOST_TEST(result.has_value());
}

BOOST_AUTO_TEST_SUITE_END()
