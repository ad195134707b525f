// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Tomcat: a poller waits for what is readable and gives each request to a pool, which starts
// threads before it lets anything wait. Clients beyond 8192 wait in the backlog, which has room for
// 100.
//
//     accepts, waits until it can read or write: the poller, one thread of the context
//     reads, decodes, computes, writes: a thread of the pool

#include "service.hpp"

#include <asio_ewyk.hpp>
#include <asio_ewyk/server.hpp>

namespace ewyk = asio_ewyk;
using namespace models;

namespace {

asio::awaitable<void> session(tcp::socket socket)
{
    lines connection(std::move(socket));
    for (std::string request; co_await connection.read(request);)
        co_await connection.write(compute(request)); // blocks, on a thread of the pool
}

} // namespace

int main()
{
    // tag::model[]
    ewyk::strategy_context context(ewyk::strategy.produce_execute_consume,
        {.min_threads = 10, .max_threads = 200, .name = "exec"});
    tcp::acceptor acceptor(context);
    acceptor.open(tcp::v4());
    acceptor.bind(anywhere());
    acceptor.listen(100);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), context, session, {.max_connections = 8192}, asio::detached);
    std::thread poller([&] { context.run(); });
    // end::model[]

    int const result = try_it("tomcat", where, "abc", "cba");
    context.stop();
    poller.join();
    return result;
}
