// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Jetty: several selectors share a pool. The thread that finds a request runs it, and another one
// goes on selecting: eat what you kill.
//
//     accepts: a selector
//     reads, decodes, computes, writes: the thread that selected, if another one can take over,
//     else a thread of the pool

#include "service.hpp"

#include <asio_ewyk.hpp>

namespace ewyk = asio_ewyk;
using namespace models;

namespace {

asio::awaitable<void> session(tcp::socket socket)
{
    lines connection(std::move(socket));
    for (std::string request; co_await connection.read(request);)
        co_await connection.write(compute(request));
}

} // namespace

int main()
{
    // tag::model[]
    ewyk::worker_pool pool({.max_threads = 200, .name = "jetty"});
    ewyk::context_group<ewyk::strategy_context> selectors(2, [&](std::size_t) {
        return std::make_unique<ewyk::strategy_context>(pool, ewyk::strategy.eat_what_you_kill);
    });
    // end::model[]

    tcp::acceptor acceptor(selectors[0], anywhere());
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), selectors, session, asio::detached);

    std::vector<std::thread> threads;
    for (ewyk::strategy_context& selector : selectors)
        threads.emplace_back([&selector, work = asio::make_work_guard(selector)] {
            selector.run();
        });
    int const result = try_it("jetty", where, "abc", "cba");
    for (ewyk::strategy_context& selector : selectors)
        selector.stop();
    for (std::thread& t : threads)
        t.join();
    return result;
}
