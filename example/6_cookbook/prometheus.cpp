// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Show metrics to Prometheus, on a port of their own.

#include <asio_ewyk.hpp>
#include <asio_ewyk/server.hpp>
#include <boost/asio.hpp>

#include <array>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;
using asio::use_awaitable;

namespace {

// tag::page[]
asio::awaitable<void> metrics(tcp::socket socket, ewyk::strategy_context& app)
{
    std::string request;
    co_await asio::async_read_until(
        socket, asio::dynamic_buffer(request, 8192), "\r\n\r\n", use_awaitable);

    ewyk::prometheus_page page;
    page.add(app.metrics(), {{"context", "app"}});
    page.add(app.pool().metrics(), {{"pool", "app"}});
    std::ostringstream body;
    body << page;

    std::string const text = body.str();
    std::string const head = "HTTP/1.1 200 OK\r\nContent-Type: " + std::string(page.content_type)
        + "\r\nContent-Length: " + std::to_string(text.size()) + "\r\nConnection: close\r\n\r\n";
    co_await asio::async_write(
        socket, std::array{asio::buffer(head), asio::buffer(text)}, use_awaitable);
}
// end::page[]

std::string scrape(tcp::endpoint where)
{
    asio::io_context here;
    tcp::socket client(here);
    client.connect(where);
    asio::write(client, asio::buffer(std::string("GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n")));
    std::string reply;
    boost::system::error_code end;
    asio::read(client, asio::dynamic_buffer(reply), end);
    return reply;
}

} // namespace

int main()
{
    ewyk::strategy_context app({.timing = true}); // with histograms of delays and run times
    asio::cancellation_signal stop;
    tcp::acceptor acceptor(app, {asio::ip::address_v4::loopback(), 0});
    auto const where = acceptor.local_endpoint();

    // tag::serve[]
    ewyk::serve(
        std::move(acceptor), app,
        [&](tcp::socket socket) { return metrics(std::move(socket), app); },
        asio::bind_cancellation_slot(stop.slot(), asio::detached));
    // end::serve[]

    std::string reply;
    std::thread prometheus([&] {
        reply = scrape(where);
        stop.emit(asio::cancellation_type::terminal);
    });
    app.run();
    prometheus.join();
    bool const right = reply.find("asio_ewyk_context_tasks_total{context=\"app\"") != reply.npos;
    std::cout << (right ? "a page of " : "not a page: ") << reply.size() << " characters\n";
    return right ? 0 : 1;
}
