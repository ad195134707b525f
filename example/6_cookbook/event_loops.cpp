// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Netty's model: several loops, each with a thread of its own. Each connection belongs to one of
// them, so that its handlers need no lock and no strand.

#include <asio_ewyk.hpp>
#include <asio_ewyk/server.hpp>
#include <boost/asio.hpp>

#include <future>
#include <iostream>
#include <string>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

asio::awaitable<void> echo(tcp::socket socket)
{
    std::string line(5, ' ');
    co_await asio::async_read(socket, asio::buffer(line), asio::use_awaitable);
    co_await asio::async_write(socket, asio::buffer(line), asio::use_awaitable);
}

} // namespace

int main()
{
    // tag::groups[]
    // The threads start with the first task.
    ewyk::event_loop_group workers(4, {.name = "worker"});
    ewyk::event_loop_group boss(1, {.name = "boss"});
    // end::groups[]

    // tag::acceptor[]
    tcp::acceptor acceptor(boss.next(), {asio::ip::address_v4::loopback(), 0});
    // end::acceptor[]
    auto const where = acceptor.local_endpoint();

    // tag::serve[]
    asio::cancellation_signal stop;
    // Or, without an acceptor: serve(boss, workers, endpoint, echo, ...)
    std::future<void> served = ewyk::serve(std::move(acceptor), workers, echo,
        {.max_connections = 1000}, asio::bind_cancellation_slot(stop.slot(), asio::use_future));
    // end::serve[]

    // tag::later[]
    workers.next().schedule(10min, [] { std::clog << "ten minutes have passed\n"; });
    ewyk::scheduled_task report =
        workers.next().schedule_at_fixed_rate(1s, 1s, [] { std::clog << "a second has passed\n"; });
    // end::later[]

    for (int i = 0; i != 8; ++i)
    {
        asio::io_context here;
        tcp::socket client(here);
        client.connect(where);
        asio::write(client, asio::buffer("hello", 5));
        std::string reply(5, ' ');
        asio::read(client, asio::buffer(reply));
        std::cout << reply << (i == 7 ? "\n" : " ");
    }

    report.cancel();

    // tag::shutdown[]
    // No client is accepted any more.
    stop.emit(asio::cancellation_type::total);
    // After the last connection; those that idle are closed after 15 s, see `drain`.
    served.get();
    // When no task has come for 100 ms, after 5 s at most.
    bool const ended = workers.shutdown_gracefully(100ms, 5s);
    // end::shutdown[]
    std::cout << (ended ? "all loops have ended\n" : "some loop is stuck\n");
    return ended ? 0 : 1;
}
