// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Step 5. A strand for the takings. The query stays outside of it, so queries still block together.

#include "client.hpp"
#include "database.hpp"

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <cstddef>
#include <iostream>
#include <string>
#include <thread>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;
using asio::use_awaitable;

namespace {

class shop
{
public:
    shop(ewyk::strategy_context& context, database& db)
      : database_(db)
      , books_(asio::make_strand(context))
    {
    }

    asio::awaitable<void> serve(tcp::acceptor& acceptor)
    {
        for (auto const ex = acceptor.get_executor();;)
            co_spawn(ex, session(co_await acceptor.async_accept(use_awaitable)), asio::detached);
    }

    asio::awaitable<void> session(tcp::socket socket)
    {
        for (std::string received;;)
        {
            std::size_t const size = co_await asio::async_read_until(
                socket, asio::dynamic_buffer(received), '\n', use_awaitable);
            std::string answer = co_await answer_to(received.substr(0, size - 1));
            received.erase(0, size);
            answer += '\n';
            co_await asio::async_write(socket, asio::buffer(answer), use_awaitable);
        }
    }

private:
    asio::awaitable<std::string> answer_to(std::string request)
    {
        if (request == "ping")
            co_return "pong";
        if (request == "takings")
            co_return std::to_string(co_await take(0));
        ewyk::this_invocation::set_location();
        int const price = database_.price(request); // blocks
        co_await take(price);
        co_return std::to_string(price);
    }

    // tag::take[]
    // Adds to the takings, and says what they are.
    asio::awaitable<int> take(int price)
    {
        auto const home = co_await asio::this_coro::executor;
        co_await ewyk::switch_to(books_); // one at a time from here
        int const takings = takings_ += price;
        co_await ewyk::switch_to(home); // to here
        co_return takings;
    }
    // end::take[]

    database& database_;
    // tag::members[]
    asio::strand<ewyk::strategy_executor> books_;
    int takings_ = 0; // used on books_ only
    // end::members[]
};

// Two clients that buy together.
void visit(tcp::endpoint server, database& db)
{
    client first(server), second(server);
    first.ask("apples");
    second.ask("pears");
    db.wait_for(2); // queries, which both block now
    db.answer();
    std::cout << "apples: " << first.answer() << '\n';
    std::cout << "pears: " << second.answer() << '\n';
    first.ask("takings");
    std::cout << "takings: " << first.answer() << '\n';
}

} // namespace

int main()
{
    database db;
    ewyk::strategy_context context;
    shop server(context, db);
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    auto const where = acceptor.local_endpoint();
    asio::co_spawn(context, server.serve(acceptor), asio::detached);

    std::thread clients([&] {
        visit(where, db);
        context.stop();
    });
    context.run();
    clients.join();
}
