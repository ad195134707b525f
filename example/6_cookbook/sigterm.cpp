// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// End on SIGTERM as a service should: accept no client any more, let those finish that are here.

#include <asio_ewyk.hpp>
#include <asio_ewyk/server.hpp>
#include <boost/asio.hpp>

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <thread>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;
using asio::use_awaitable;
using namespace std::chrono_literals;

namespace {

// tag::echo[]
asio::awaitable<void> echo(tcp::socket socket)
{
    std::string text(5, ' ');
    for (;;)
    {
        co_await asio::async_read(socket, asio::buffer(text), use_awaitable);
        co_await asio::async_write(socket, asio::buffer(text), use_awaitable);
    }
}
// end::echo[]

bool is_answered(tcp::socket& client)
{
    std::string reply(5, ' ');
    asio::write(client, asio::buffer("hello", 5));
    asio::read(client, asio::buffer(reply));
    return reply == "hello";
}

} // namespace

int main()
{
    ewyk::strategy_context context;
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    auto const where = acceptor.local_endpoint();

    bool right = false;
    std::thread client_thread([&] {
        asio::io_context here;
        tcp::socket client(here);
        client.connect(where);
        right = is_answered(client);
        std::raise(SIGTERM);
        right = is_answered(client) && right; // it is here, and has 15 seconds
    });

    // tag::sigterm[]
    asio::cancellation_signal stop;
    asio::signal_set signals(context, SIGTERM, SIGINT);
    signals.async_wait([&](boost::system::error_code error, int) {
        if (!error)
            stop.emit(asio::cancellation_type::terminal);
    });

    ewyk::serve(std::move(acceptor), context, echo, {.drain = 15s},
        asio::bind_cancellation_slot(
            stop.slot(), [&](std::exception_ptr) { signals.cancel(); }));
    context.run(); // until the last client has left, or 15 seconds after the signal
    // end::sigterm[]

    client_thread.join();
    std::cout << (right ? "the client was answered to the end\n" : "the client was cut off\n");
    return right ? 0 : 1;
}
