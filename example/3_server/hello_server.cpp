// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The smallest HTTP server: `hello_server`, or `hello_server PORT`. It serves until it is killed.

// tag::program[]
#include <asio_ewyk.hpp>
#include <boost/asio.hpp>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

asio::awaitable<void> session(tcp::socket socket)
{
    std::string request;
    co_await asio::async_read_until(
        socket, asio::dynamic_buffer(request, 8192), "\r\n\r\n", asio::use_awaitable);
    std::this_thread::sleep_for(10ms); // a query, a file, a lock: no other client waits for it
    std::string const answer = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n"
                               "Connection: close\r\n\r\nhello\n";
    co_await asio::async_write(socket, asio::buffer(answer), asio::use_awaitable);
}

int main(int argc, char* argv[])
{
    auto const port = static_cast<unsigned short>(argc > 1 ? std::atoi(argv[1]) : 8080);
    asio_ewyk::strategy_context context; // where an app of Asio has asio::io_context
    tcp::acceptor acceptor(context, {tcp::v4(), port});
    std::cout << "http://localhost:" << acceptor.local_endpoint().port() << std::endl;
    asio_ewyk::serve(std::move(acceptor), context, session, asio::detached);
    context.run();
}
// end::program[]
