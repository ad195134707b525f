// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// An echo server of stackful coroutines: asio::spawn with a yield_context. Functions that wait are
// written as if they blocked, whatever depth they are called in. The clients are the same.

#include <boost/asio.hpp>
#include <boost/asio/spawn.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

namespace {

namespace asio = boost::asio;
using asio::yield_context;
using asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;

constexpr int clients = 10;
constexpr int messages = 50;
constexpr auto deadline = 100s;

std::string read_line(tcp::socket& socket, std::string& buffer, yield_context yield)
{
    auto const size
        = asio::async_read_until(socket, asio::dynamic_buffer(buffer, 1024), '\n', yield);
    auto line = buffer.substr(0, size);
    buffer.erase(0, size);
    return line;
}

void session(tcp::socket socket, yield_context yield)
{
    std::string buffer;
    try
    {
        for (;;)
        {
            auto const line = read_line(socket, buffer, yield);
            asio::async_write(socket, asio::buffer(line), yield);
        }
    }
    catch (boost::system::system_error const& e)
    {
        if (e.code() != asio::error::eof)
            std::cerr << "a session ends: " << e.what() << '\n';
    }
}

void listen(asio::io_context& context, tcp::acceptor& acceptor, yield_context yield)
{
    for (;;)
    {
        error_code error;
        tcp::socket socket(asio::make_strand(context));
        acceptor.async_accept(socket, yield[error]);
        if (error)
            return;
        auto const on = socket.get_executor();
        asio::spawn(
            on,
            [socket = std::move(socket)](yield_context y) mutable {
                session(std::move(socket), y);
            },
            asio::detached);
    }
}

int talk(tcp::endpoint const& where, yield_context yield)
{
    tcp::socket socket(yield.get_executor());
    socket.async_connect(where, yield);
    std::string buffer;
    int echoed = 0;
    for (int i = 0; i != messages; ++i)
    {
        auto const said = "message " + std::to_string(i) + '\n';
        asio::async_write(socket, asio::buffer(said), yield);
        if (read_line(socket, buffer, yield) == said)
            ++echoed;
        asio::steady_timer pause(yield.get_executor(), 100us);
        pause.async_wait(yield);
    }
    return echoed;
}

} // namespace

int main()
try
{
    asio::io_context context;
    tcp::acceptor acceptor(asio::make_strand(context), {asio::ip::address_v4::loopback(), 0});
    auto const where = acceptor.local_endpoint();
    asio::spawn(
        acceptor.get_executor(), [&](yield_context yield) { listen(context, acceptor, yield); },
        asio::detached);

    std::atomic<int> echoed = 0;
    std::atomic<int> busy = clients;
    for (int i = 0; i != clients; ++i)
        asio::spawn(
            context, [&](yield_context yield) { echoed += talk(where, yield); },
            [&](std::exception_ptr error) {
                if (--busy == 0)
                    asio::post(acceptor.get_executor(), [&] { acceptor.close(); });
                if (error)
                    std::rethrow_exception(error);
            });
    context.run_for(deadline);

    std::cout << echoed << " of " << clients * messages << " messages came back\n";
    return echoed == clients * messages ? 0 : 1;
}
catch (std::exception const& e)
{
    std::cerr << e.what() << '\n';
    return 1;
}
