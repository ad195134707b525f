// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Where other code owns the io_context, a strategy is installed in it. I/O objects are made with
// the strategy's executor, and asio_ewyk::run takes the place of ioc.run().

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <array>
#include <iostream>
#include <string_view>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;

int main()
{
    // tag::use_strategy[]
    asio::io_context ioc;
    ewyk::strategy_executor ex = ewyk::use_strategy(ioc, ewyk::strategy.eat_what_you_kill);

    tcp::acceptor acceptor(ex, {asio::ip::address_v4::loopback(), 0});
    tcp::socket client(ex);
    // end::use_strategy[]

    acceptor.async_accept([](boost::system::error_code, tcp::socket peer) {
        asio::write(peer, asio::buffer("a blocking write, in a handler", 30));
    });
    std::array<char, 64> buffer;
    client.async_connect(acceptor.local_endpoint(), [&](boost::system::error_code) {
        auto const show = [&](boost::system::error_code, std::size_t n) {
            std::cout << std::string_view(buffer.data(), n) << '\n';
        };
        asio::async_read(client, asio::buffer(buffer), show);
    });

    // tag::run[]
    ewyk::run(ioc); // instead of ioc.run()
    // end::run[]
}
