// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Hadoop's DataNode: each connection has a thread of its own, which waits in read() and write(). A
// client beyond the limit is refused.
//
//     accepts: the boss
//     reads, decodes, computes, writes: the connection's thread

#include "service.hpp"

#include <asio_ewyk.hpp>
#include <asio_ewyk/server.hpp>

namespace ewyk = asio_ewyk;
using namespace models;

namespace {

// tag::session[]
// A coroutine that never waits for anything but in system calls.
asio::awaitable<void> session(tcp::socket socket)
{
    lines connection(std::move(socket));
    for (std::string request; connection.wait_and_read(request);)
        connection.wait_and_write(compute(request));
    co_return;
}
// end::session[]

} // namespace

int main()
{
    // tag::model[]
    constexpr std::size_t limit = 256; // HDFS: dfs.datanode.max.transfer.threads, 4096
    ewyk::strategy_context threads(ewyk::strategy.produce_execute_consume,
        {.max_threads = limit + 1, .name = "xceiver"}); // one of them produces
    ewyk::event_loop boss({.name = "boss"});
    // end::model[]

    tcp::acceptor acceptor(boss, anywhere());
    auto const where = acceptor.local_endpoint();
    asio::cancellation_signal stop;
    // tag::serve[]
    auto served = ewyk::serve(std::move(acceptor), threads, session,
        {.max_connections = limit, .when_full = ewyk::connections_full::refuse},
        asio::bind_cancellation_slot(stop.slot(), asio::use_future));
    // end::serve[]
    auto work = asio::make_work_guard(threads);
    std::thread producer([&] { threads.run(); });

    int const result = try_it("hadoop", where, "abc", "cba");
    stop.emit(asio::cancellation_type::total);
    served.get();
    work.reset();
    producer.join();
    return result;
}
