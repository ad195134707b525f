// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// An echo server of coroutines: a listener, a session for each connection, and a watchdog in each
// session that closes a connection on which nothing comes. The clients are coroutines as well; one
// of them says nothing, and must be disconnected.

#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>

#include <array>
#include <chrono>
#include <exception>
#include <future>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::io_context;
using asio::use_awaitable;
using asio::ip::tcp;
using namespace asio::experimental::awaitable_operators;
using namespace std::chrono_literals;

constexpr int clients = 20;
constexpr int messages = 50;
constexpr auto quiet_at_most = 200ms;

// The end of the connection is an exception, and that of the coroutine.
awaitable<void> echo(tcp::socket& socket)
{
    std::array<char, 1024> data;
    for (;;)
    {
        asio::steady_timer watchdog(socket.get_executor(), quiet_at_most);
        auto const came = co_await (socket.async_read_some(asio::buffer(data), use_awaitable)
            || watchdog.async_wait(use_awaitable));
        if (came.index() == 1)
            co_return;
        co_await asio::async_write(socket, asio::buffer(data, std::get<0>(came)), use_awaitable);
    }
}

awaitable<void> session(tcp::socket socket)
{
    try
    {
        co_await echo(socket);
    }
    catch (boost::system::system_error const& e)
    {
        if (e.code() != asio::error::eof && e.code() != asio::error::connection_reset)
            std::cerr << "a session ends: " << e.what() << '\n';
    }
}

awaitable<void> listener(io_context& context, tcp::acceptor& acceptor)
{
    for (;;)
    {
        auto const strand = asio::make_strand(context);
        auto [error, socket]
            = co_await acceptor.async_accept(strand, asio::as_tuple(use_awaitable));
        if (error)
            co_return;
        asio::co_spawn(strand, session(std::move(socket)), asio::detached);
    }
}

awaitable<std::string> answer_to(tcp::socket& socket, std::string const& said)
{
    co_await asio::async_write(socket, asio::buffer(said), use_awaitable);
    std::string answer(said.size(), '\0');
    co_await asio::async_read(socket, asio::buffer(answer), use_awaitable);
    co_return answer;
}

// The number of messages that came back.
awaitable<int> client(tcp::endpoint where)
{
    int echoed = 0;
    while (echoed != messages)
    {
        try
        {
            tcp::socket socket(co_await asio::this_coro::executor);
            co_await socket.async_connect(where, use_awaitable);
            for (; echoed != messages; ++echoed)
            {
                auto const said = "message " + std::to_string(echoed);
                if (co_await answer_to(socket, said) != said)
                    co_return echoed;
            }
        }
        catch (boost::system::system_error const&)
        {
            // A machine that is busy can make this client a silent one; then it connects again.
        }
    }
    co_return echoed;
}

awaitable<bool> silent_client_is_disconnected(tcp::endpoint where)
{
    tcp::socket socket(co_await asio::this_coro::executor);
    co_await socket.async_connect(where, use_awaitable);
    char byte = 0;
    auto const [error, size] = co_await socket.async_read_some(
        asio::buffer(&byte, 1), asio::as_tuple(use_awaitable));
    co_return error == asio::error::eof && size == 0;
}

} // namespace

int main()
try
{
    io_context context(1);
    tcp::acceptor acceptor(asio::make_strand(context), {asio::ip::address_v4::loopback(), 0});
    auto const where = acceptor.local_endpoint();
    asio::co_spawn(acceptor.get_executor(), listener(context, acceptor), asio::detached);

    std::vector<std::future<int>> echoed;
    for (int i = 0; i != clients; ++i)
        echoed.push_back(
            asio::co_spawn(asio::make_strand(context), client(where), asio::use_future));
    auto disconnected
        = asio::co_spawn(context, silent_client_is_disconnected(where), asio::use_future);

    std::thread server([&] { context.run(); });
    int sum = 0;
    for (auto& each : echoed)
        sum += each.get();
    bool const silent_one_left = disconnected.get();
    asio::post(acceptor.get_executor(), [&] { acceptor.close(); });
    server.join();

    std::cout << sum << " messages came back; the silent client was "
              << (silent_one_left ? "disconnected\n" : "not disconnected\n");
    return sum == clients * messages && silent_one_left ? 0 : 1;
}
catch (std::exception const& e)
{
    std::cerr << e.what() << '\n';
    return 1;
}
