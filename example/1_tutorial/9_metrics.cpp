// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Step 9. Metrics. A second port has a page for Prometheus: of the library, and of the shop itself.

#include "client.hpp"
#include "database.hpp"

#include <asio_ewyk.hpp>
#include <asio_ewyk/server.hpp>
#include <boost/asio.hpp>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <exception>
#include <future>
#include <iostream>
#include <sstream>
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
    shop(ewyk::strategy_context& context, database& db, ewyk::serve_control const& connections)
      : database_(db)
      , connections_(connections)
      , books_(asio::make_strand(context))
    {
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

    // tag::metrics[]
    asio::awaitable<void> metrics(tcp::socket socket)
    {
        std::string request;
        co_await asio::async_read_until(
            socket, asio::dynamic_buffer(request, 8192), "\r\n\r\n", use_awaitable);

        int const takings = co_await take(0);
        ewyk::prometheus_page page;
        page.add(pool_.metrics(), {{"pool", "database"}});
        page.add(connections_.metrics());
        page.add("shop_takings_total", "What the articles sold have cost.", takings);
        std::ostringstream answer;
        answer << "HTTP/1.1 200 OK\r\nContent-Type: " << page.content_type
               << "\r\nConnection: close\r\n\r\n"
               << page;
        std::string const text = answer.str();
        co_await asio::async_write(socket, asio::buffer(text), use_awaitable);
    }
    // end::metrics[]

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
    ewyk::serve_control connections_;
    asio::strand<ewyk::strategy_executor> books_;
    int takings_ = 0; // used on books_ only
    ewyk::worker_pool pool_{{.max_threads = 2,
        .max_queue = 1,
        .when_full = ewyk::queue_full::reject,
        .name = "database"}};
};

// Two clients that buy, and then a look at the page: some lines of it.
void visit(tcp::endpoint server, tcp::endpoint metrics, database& db)
{
    {
        client first(server), second(server);
        db.answer();
        first.ask("apples");
        std::cout << "apples: " << first.answer() << '\n';
        second.ask("pears");
        std::cout << "pears: " << second.answer() << '\n';
    }
    tcp::iostream page(metrics);
    page << "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" << std::flush;
    for (std::string line; std::getline(page, line);)
        for (char const* wanted : {"asio_ewyk_pool_tasks_total{", "asio_ewyk_pool_threads_max{",
                 "asio_ewyk_serve_accepted_total ", "shop_takings_total "})
            if (line.starts_with(wanted))
                std::cout << line << '\n';
    std::raise(SIGTERM);
}

} // namespace

int main()
{
    database db;
    ewyk::strategy_context context;
    ewyk::serve_control connections;
    shop server(context, db, connections);
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    tcp::acceptor inside(context, {asio::ip::address_v4::loopback(), 0});
    auto const where = acceptor.local_endpoint(), where_inside = inside.local_endpoint();

    asio::cancellation_signal stop;
    asio::signal_set signals(context, SIGTERM, SIGINT);
    signals.async_wait([&](boost::system::error_code error, int) {
        if (!error)
            stop.emit(asio::cancellation_type::terminal);
    });
    ewyk::serve(
        std::move(acceptor), context,
        [&](tcp::socket socket) { return server.session(std::move(socket)); },
        {.max_connections = 1000, .drain = 15s, .control = connections},
        asio::bind_cancellation_slot(
            stop.slot(), [&](std::exception_ptr) { context.stop(); })); // all sessions have ended
    ewyk::serve(
        std::move(inside), context,
        [&](tcp::socket socket) { return server.metrics(std::move(socket)); }, asio::detached);

    std::thread clients([&] { visit(where, where_inside, db); });
    context.run();
    clients.join();
    std::cout << "the server has ended\n";
}
