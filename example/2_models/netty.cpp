// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Netty: a boss accepts, each connection belongs to one loop of the workers, and what blocks goes
// to a pool and comes back.
//
//     accepts: the boss
//     reads, decodes, writes: the worker that the connection belongs to
//     computes: a thread of the pool

#include "service.hpp"

#include <asio_ewyk.hpp>
#include <asio_ewyk/server.hpp>

namespace ewyk = asio_ewyk;
using namespace models;

int main()
{
    // tag::model[]
    ewyk::event_loop_group workers(4, {.name = "worker"});
    ewyk::event_loop_group boss(1, {.name = "boss"});
    ewyk::worker_pool pool({.max_threads = 16, .name = "offload"});
    // end::model[]

    // tag::session[]
    auto const session = [&](tcp::socket socket) -> asio::awaitable<void> {
        auto const home = co_await asio::this_coro::executor;
        lines connection(std::move(socket));
        for (std::string request; co_await connection.read(request);)
        {
            co_await ewyk::switch_to(pool.get_executor());
            std::string const answer = compute(request); // nothing else of the connection runs
            co_await ewyk::switch_to(home);
            co_await connection.write(answer);
        }
    };
    // end::session[]

    tcp::acceptor acceptor(boss.next(), anywhere());
    auto const where = acceptor.local_endpoint();
    asio::cancellation_signal stop;
    auto served = ewyk::serve(std::move(acceptor), workers, session,
        asio::bind_cancellation_slot(stop.slot(), asio::use_future));

    int const result = try_it("netty", where, "abc", "cba");
    stop.emit(asio::cancellation_type::total);
    served.get();
    workers.shutdown_gracefully(0s, 5s); // before the pool, which it gives work to
    return result;
}
