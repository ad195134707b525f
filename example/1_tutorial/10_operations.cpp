// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Step 10. What the server is doing: which operations are pending, and where they were begun. All
// sources of the program are compiled with Asio's hook.

#include "client.hpp"
#include "database.hpp"

#include <asio_ewyk.hpp>
#include <asio_ewyk/diagnostics/tracking.hpp>
#include <asio_ewyk/server.hpp>
#include <boost/asio.hpp>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <exception>
#include <future>
#include <iostream>
#include <string>
#include <thread>
#include <utility>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;
using asio::use_awaitable;
using namespace std::chrono_literals;

namespace {

class shop
{
public:
    shop(ewyk::strategy_context& context, database& db)
      : database_(db)
      , books_(asio::make_strand(context))
    {
    }

    asio::awaitable<void> session(tcp::socket socket)
    {
        for (std::string received;;)
        {
            // tag::here[]
            std::size_t const size = co_await asio::async_read_until(socket,
                asio::dynamic_buffer(received), '\n',
                asio::use_awaitable_t<>(__FILE__, __LINE__, __func__));
            // end::here[]
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
        std::future<int> answer;
        try
        {
            answer = asio::post(pool_, asio::use_future([this, request] {
                ewyk::this_invocation::set_location();
                return database_.price(request); // blocks a thread of the pool
            }));
        }
        catch (ewyk::queue_full_error const&)
        {
            co_return "busy";
        }
        if (answer.wait_for(3s) != std::future_status::ready) // blocks, and holds up nobody
            co_return "too late";
        int const price = answer.get();
        co_await take(price);
        co_return std::to_string(price);
    }

    // Adds to the takings, and says what they are.
    asio::awaitable<int> take(int price)
    {
        auto const home = co_await asio::this_coro::executor;
        co_await ewyk::switch_to(books_); // one at a time from here
        int const takings = takings_ += price;
        co_await ewyk::switch_to(home); // to here
        co_return takings;
    }

    database& database_;
    asio::strand<ewyk::strategy_executor> books_;
    int takings_ = 0; // used on books_ only
    ewyk::worker_pool pool_{{.max_threads = 2,
        .max_queue = 1,
        .when_full = ewyk::queue_full::reject,
        .name = "database"}};
};

// tag::operations[]
// Those whose place is known: of the sessions.
void print_operations()
{
    for (ewyk::tracking::operation const& o : ewyk::tracking::pending())
        if (o.location)
        {
            std::string const file = o.location->file_name();
            std::cout << o.name << " in " << o.composed << ", " << to_string(o.state) << ", "
                      << file.substr(file.rfind('/') + 1) << ':' << o.location->line() << '\n';
        }
}
// end::operations[]

// A client that only connects, and one that buys: what do their sessions do meanwhile?
void visit(tcp::endpoint server, database& db)
{
    {
        client first(server), second(server);
        second.ask("apples");
        db.wait_for(1);
        print_operations();
        db.answer();
        std::cout << "apples: " << second.answer() << '\n';
    }
    std::raise(SIGTERM);
}

} // namespace

int main()
{
    database db;
    ewyk::strategy_context context;
    shop server(context, db);
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    auto const where = acceptor.local_endpoint();

    asio::cancellation_signal stop;
    asio::signal_set signals(context, SIGTERM, SIGINT);
    signals.async_wait([&](boost::system::error_code error, int) {
        if (!error)
            stop.emit(asio::cancellation_type::terminal);
    });
    ewyk::serve(
        std::move(acceptor), context,
        [&](tcp::socket socket) { return server.session(std::move(socket)); },
        {.max_connections = 1000, .drain = 15s},
        asio::bind_cancellation_slot(
            stop.slot(), [&](std::exception_ptr) { context.stop(); })); // all sessions have ended
    std::thread clients([&] { visit(where, db); });
    context.run();
    clients.join();
    std::cout << "the server has ended\n";
}
