// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Step 2. The library says which line blocks. Nothing else changes yet: with produce_consume the
// handlers run one at a time, on the thread that calls run().

#include "client.hpp"
#include "database.hpp"

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;
using asio::use_awaitable;
using namespace std::chrono_literals;

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
    asio::awaitable<std::string> answer_to(std::string request)
    {
        if (request == "ping")
            co_return "pong";
        // tag::location[]
        ewyk::this_invocation::set_location(); // of what follows, for the report
        co_return std::to_string(database_.price(request)); // blocks
        // end::location[]
    }

    database& database_;
};

// tag::report[]
std::atomic<bool> reported{false};

// A thread of the library calls this, while the handler still runs.
void report(ewyk::stall_report const& stall)
{
    if (!stall.location || stall.kind != ewyk::stall_kind::running)
        return;
    std::filesystem::path const file = stall.location->file_name();
    std::cout << "a handler of " << stall.context << " does not return: "
              << file.filename().string() << ':' << stall.location->line() << '\n';
    reported = true;
    reported.notify_one();
}
// end::report[]

// Two clients: the query of the first one blocks, and the second one has no query.
void visit(tcp::endpoint server, database& db)
{
    client slow(server), fast(server);
    slow.ask("apples");
    db.wait_for(1); // query, which blocks now
    fast.ask("ping");
    bool const answered = fast.has_answer(3s);
    reported.wait(false);
    std::cout << "ping: " << (answered ? fast.answer() : "no answer in 3 seconds") << '\n';
    db.answer();
    std::cout << "apples: " << slow.answer() << '\n';
}

} // namespace

int main()
{
    database db;
    // tag::context[]
    ewyk::strategy_context context(ewyk::strategy.produce_consume, // was: asio::io_context
        {.name = "shop", .stall_threshold = 100ms, .on_stall = report});
    // end::context[]
    shop server(db);
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
