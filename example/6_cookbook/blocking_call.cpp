// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Call a library that blocks, in a coroutine. Eight clients ask at once: each query waits for the
// seven others, so the program ends only if all of them block at the same time.

#include <asio_ewyk.hpp>
#include <asio_ewyk/server.hpp>
#include <boost/asio.hpp>

#include <iostream>
#include <latch>
#include <string>
#include <thread>
#include <vector>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;
using asio::use_awaitable;

namespace {

constexpr int clients = 8;

class database
{
public:
    std::string query(std::string const& key)
    {
        all_.arrive_and_wait();
        return {key.rbegin(), key.rend()};
    }

private:
    std::latch all_{clients};
};

// tag::session[]
asio::awaitable<void> session(tcp::socket socket, database& db)
{
    std::string text(5, ' ');
    co_await asio::async_read(socket, asio::buffer(text), use_awaitable);
    text = db.query(text); // blocks this thread; the other sessions go on
    co_await asio::async_write(socket, asio::buffer(text), use_awaitable);
}
// end::session[]

int ask(tcp::endpoint where)
{
    asio::io_context here;
    std::vector<tcp::socket> sockets;
    for (int i = 0; i != clients; ++i)
    {
        sockets.emplace_back(here).connect(where);
        asio::write(sockets.back(), asio::buffer("hello", 5));
    }
    int answered = 0;
    std::string reply(5, ' ');
    for (tcp::socket& client : sockets)
    {
        asio::read(client, asio::buffer(reply));
        answered += reply == "olleh";
    }
    return answered;
}

} // namespace

int main()
{
    database db;
    ewyk::strategy_context context;
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    auto const where = acceptor.local_endpoint();

    asio::cancellation_signal stop;
    ewyk::serve(
        std::move(acceptor), context,
        [&](tcp::socket socket) { return session(std::move(socket), db); },
        asio::bind_cancellation_slot(stop.slot(), asio::detached));

    int answered = 0;
    std::thread client([&] {
        answered = ask(where);
        stop.emit(asio::cancellation_type::terminal);
    });
    context.run();
    client.join();
    std::cout << answered << " queries blocked at once\n";
    return answered == clients ? 0 : 1;
}
