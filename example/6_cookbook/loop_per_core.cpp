// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// One event loop for each CPU, bound to it. A connection is served by one of them to its end, and
// needs no strand.

#include <asio_ewyk.hpp>
#include <asio_ewyk/server.hpp>
#include <boost/asio.hpp>

#include <algorithm>
#include <atomic>
#include <future>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;

namespace {

// Those that this process may use. None: the loops are not bound.
std::vector<int> usable_cpus()
{
    std::vector<int> cpus;
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        for (int i = 0; i != CPU_SETSIZE; ++i)
            if (CPU_ISSET(i, &set))
                cpus.push_back(i);
#endif
    return cpus;
}

std::atomic<int> elsewhere{0};

asio::awaitable<void> echo(tcp::socket socket)
{
    auto const here = std::this_thread::get_id();
    std::string text(5, ' ');
    co_await asio::async_read(socket, asio::buffer(text), asio::use_awaitable);
    co_await asio::async_write(socket, asio::buffer(text), asio::use_awaitable);
    elsewhere += std::this_thread::get_id() != here;
}

} // namespace

int main()
{
    // tag::loops[]
    // tag::group[]
    std::vector<int> const cpus = usable_cpus();
    ewyk::event_loop_group loops(std::max<std::size_t>(1, cpus.size()), {.cpus = cpus});
    // end::group[]

    tcp::acceptor acceptor(loops.next(), {asio::ip::address_v4::loopback(), 0});
    auto const where = acceptor.local_endpoint();
    asio::cancellation_signal stop;
    std::future<void> served = ewyk::serve(std::move(acceptor), loops, echo,
        asio::bind_cancellation_slot(stop.slot(), asio::use_future));
    // end::loops[]

    int answered = 0;
    for (int i = 0; i != 8; ++i)
    {
        asio::io_context here;
        tcp::socket client(here);
        client.connect(where);
        asio::write(client, asio::buffer("hello", 5));
        std::string reply(5, ' ');
        asio::read(client, asio::buffer(reply));
        answered += reply == "hello";
    }
    stop.emit(asio::cancellation_type::terminal);
    served.get();
    std::cout << loops.size() << " loops, " << answered << " answers, " << elsewhere
              << " from another thread than that of the connection's loop\n";
    return answered == 8 && elsewhere == 0 ? 0 : 1;
}
