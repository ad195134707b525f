// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Redis: one thread does everything. Commands run one after another, so the data needs no lock; and
// one that takes long stops all the others.
//
//     accepts, reads, decodes, computes, writes: the loop

#include "service.hpp"

#include <asio_ewyk.hpp>
#include <asio_ewyk/server.hpp>

#include <map>

namespace ewyk = asio_ewyk;
using namespace models;

int main()
{
    std::map<std::string, int> counters; // the loop's thread is the only one that uses it

    auto const session = [&](tcp::socket socket) -> asio::awaitable<void> {
        lines connection(std::move(socket));
        for (std::string name; co_await connection.read(name);)
        {
            {
                part::turn const mine(computes);
                ++counters[name];
            }
            co_await connection.write("ok");
        }
    };

    // tag::model[]
    ewyk::event_loop loop({.name = "redis"});
    tcp::acceptor acceptor(loop, anywhere());
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), loop, session, {.max_connections = 10000}, asio::detached);
    // end::model[]

    int const result = try_it("redis", where, "incr", "ok");
    loop.shutdown_gracefully(0s, 5s);
    std::cout << "  " << counters["incr"] << " times, counted without a lock\n";
    return counters["incr"] == requests ? result : 1;
}
