// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The smallest HTTP server: `hello_server`, or `hello_server PORT`. It serves until it is killed.

// tag::program[]
#include <asio_ewyk.hpp>
#include <asio_ewyk/server.hpp>
#include <boost/asio.hpp>
#include <charconv>
#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <thread>

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

asio::awaitable<void> session(tcp::socket socket)
{
    auto const token = asio::as_tuple(asio::use_awaitable);
    std::string request;
    auto const [error, size] = co_await asio::async_read_until(
        socket, asio::dynamic_buffer(request, 8192), "\r\n\r\n", token);
    if (error && error != asio::error::not_found)
        co_return; // the client has gone
    if (!error)
        std::this_thread::sleep_for(10ms); // a query, a file, a lock: no other client waits for it
    std::string const answer = error
        ? "HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Length: 0\r\n"
          "Connection: close\r\n\r\n"
        : "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n";
    co_await asio::async_write(socket, asio::buffer(answer), asio::use_awaitable);
    socket.shutdown(tcp::socket::shutdown_send);
    // If the rest were left unread, a client might see a reset in place of the answer.
    co_await asio::async_read(socket, asio::dynamic_buffer(request, 1'000'000), token);
}

int main(int argc, char* argv[])
try
{
    std::string const text = argc > 1 ? argv[1] : "8080";
    asio::ip::port_type port = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (argc > 2 || error != std::errc() || *end != '\0')
    {
        std::cerr << "usage: hello_server [PORT]\n";
        return 2;
    }
    asio_ewyk::strategy_context context; // where an app of Asio has asio::io_context
    tcp::acceptor acceptor(context, {tcp::v4(), port});
    std::cout << "http://127.0.0.1:" << acceptor.local_endpoint().port() << std::endl;
    asio_ewyk::serve(std::move(acceptor), context, session, asio::detached);
    context.run();
}
catch (std::exception const& e)
{
    std::cerr << "hello_server: " << e.what() << '\n'; // such as a port that is in use
    return 1;
}
// end::program[]
