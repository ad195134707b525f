// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A server of coroutines: one for each connection, and one that always computes for long. Each goes
// by the strategy of the executor that it was spawned on. Sockets and coroutines name the type of
// that executor, so nothing is erased.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <chrono>
#include <future>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

// tag::server[]
using executor = ewyk::strategy_executor; // the type itself, where Asio has any_io_executor
constexpr asio::use_awaitable_t<executor> use_awaitable;

asio::awaitable<void, executor> session(asio::basic_stream_socket<tcp, executor> socket)
{
    std::string line(5, ' ');
    co_await asio::async_read(socket, asio::buffer(line), use_awaitable);
    std::this_thread::sleep_for(10ms); // a query, a file, a lock: no other client waits for it
    co_await asio::async_write(socket, asio::buffer(line), use_awaitable);
}

asio::awaitable<void, executor> serve(asio::basic_socket_acceptor<tcp, executor> acceptor)
{
    for (auto ex = acceptor.get_executor();;)
        co_spawn(ex, session(co_await acceptor.async_accept(use_awaitable)), asio::detached);
}
// end::server[]

asio::awaitable<void, executor> report()
{
    std::this_thread::sleep_for(50ms);
    std::cout << "the report is done\n";
    co_return;
}

// Eight clients at once: all have asked before the first one reads its answer.
void ask(tcp::endpoint where)
{
    asio::io_context here;
    std::vector<tcp::socket> clients;
    for (int i = 0; i != 8; ++i)
    {
        clients.emplace_back(here).connect(where);
        asio::write(clients.back(), asio::buffer("hello", 5));
    }
    std::string reply(5, ' ');
    for (tcp::socket& client : clients)
        asio::read(client, asio::buffer(reply));
}

} // namespace

int main()
{
    // tag::spawn[]
    ewyk::strategy_context context;
    auto ex = context.get_executor(); // eat_what_you_kill
    auto to_the_pool = asio::require(ex, ewyk::strategy.produce_execute_consume);

    asio::basic_socket_acceptor<tcp, executor> acceptor(ex, {tcp::v4(), 0}); // any free port
    tcp::endpoint const where(asio::ip::address_v4::loopback(), acceptor.local_endpoint().port());
    co_spawn(ex, serve(std::move(acceptor)), asio::detached);
    // end::spawn[]

    std::thread client([&] {
        auto const begin = std::chrono::steady_clock::now();
        ask(where);
        std::cout << "eight clients were answered in "
                  << (std::chrono::steady_clock::now() - begin) / 1ms << " ms\n";
        // tag::report[]
        std::future<void> done = co_spawn(to_the_pool, report(), asio::use_future);
        // end::report[]
        done.get();
        context.stop();
    });
    context.run();
    client.join();
}
