// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Step 4. The shop counts its takings. Several threads add to them now, perhaps at the same time: a
// data race, which ThreadSanitizer finds if the program is given the argument "together".

#include "client.hpp"
#include "database.hpp"

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <cstddef>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;
using asio::use_awaitable;

namespace {

class shop
{
public:
    explicit shop(database& db)
      : database_(db)
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
    // tag::answer[]
    asio::awaitable<std::string> answer_to(std::string request)
    {
        if (request == "ping")
            co_return "pong";
        if (request == "takings")
            co_return std::to_string(takings_);
        ewyk::this_invocation::set_location();
        int const price = database_.price(request); // blocks
        takings_ += price; // wrong: another thread may do the same now
        co_return std::to_string(price);
    }
    // end::answer[]

    database& database_;
    int takings_ = 0;
};

// Two clients that buy: one after the other, or both together.
void visit(tcp::endpoint server, database& db, bool together)
{
    client first(server), second(server);
    auto const print = [](char const* what, client& of) {
        std::cout << what << ": " << of.answer() << '\n';
    };
    if (together)
    {
        first.ask("apples");
        second.ask("pears");
        db.wait_for(2); // queries, which both block now
        db.answer();
        print("apples", first);
    }
    else
    {
        db.answer();
        first.ask("apples");
        print("apples", first);
        second.ask("pears");
    }
    print("pears", second);
    first.ask("takings");
    print("takings", first);
}

} // namespace

int main(int argc, char** argv)
{
    bool const together = argc == 2 && argv[1] == std::string_view("together");
    database db;
    ewyk::strategy_context context;
    shop server(db);
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    auto const where = acceptor.local_endpoint();
    asio::co_spawn(context, server.serve(acceptor), asio::detached);

    std::thread clients([&] {
        visit(where, db, together);
        context.stop();
    });
    context.run();
    clients.join();
}
