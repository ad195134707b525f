// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Boost.Redis, a client on a strategy_context: commands are answered while another handler blocks.

#include "stub_server.hpp"

#include "../unit/pool_support.hpp"

#include <boost/redis.hpp>
#include <boost/redis/src.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(redis)

namespace {

using namespace support;
using tcp = asio::ip::tcp;

// A command is an array of strings, each with its length before.
std::string receive(tcp::socket& from, std::string& text)
{
    auto const line = [&] {
        auto const n = asio::read_until(from, asio::dynamic_buffer(text), "\r\n");
        std::string const l = text.substr(0, n - 2);
        text.erase(0, n);
        return l;
    };
    std::string name;
    for (int left = std::stoi(line().substr(1)); left != 0; --left)
    {
        line();
        auto const word = line();
        if (name.empty())
            name = word;
    }
    return name;
}

void talk(tcp::socket& client)
{
    for (std::string text;;)
    {
        auto const name = receive(client, text);
        std::string const answer = name == "HELLO" ? "%1\r\n+server\r\n+redis\r\n"
            : name == "GET"                        ? "$5\r\nvalue\r\n"
                                                   : "+OK\r\n";
        asio::write(client, asio::buffer(answer));
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(a_command_beside_a_handler_that_blocks)
{
    apps::stub_server const server(talk);
    event answered;
    ewyk::strategy_context ctx(ewyk::strategy_t::eat_what_you_kill);
    deadline const d(ctx);
    boost::redis::connection connection(ctx.get_executor());
    boost::redis::config config;
    config.addr.port = std::to_string(server.endpoint().port());
    config.health_check_interval = 0s;
    connection.async_run(config, {boost::redis::logger::level::err}, [](auto) {});

    bool waited = false;
    boost::system::error_code failure;
    asio::post(ctx, [&] {
        ewyk::blocking_section const blocks;
        waited = answered.wait();
    });
    boost::redis::request request;
    request.push("GET", "key");
    boost::redis::response<std::string> result;
    connection.async_exec(request, result, [&](boost::system::error_code ec, std::size_t) {
        failure = ec;
        answered.set();
        connection.cancel();
    });
    ctx.run();
    BOOST_TEST(!failure, failure.message());
    BOOST_TEST(std::get<0>(result).value() == "value");
    BOOST_TEST(waited);
}

BOOST_AUTO_TEST_SUITE_END()
