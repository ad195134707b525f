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
#include <asio_ewyk/server.hpp>

namespace ewyk = asio_ewyk;
using namespace models;

namespace {

// tag::session[]
asio::awaitable<void> session(tcp::socket socket)
{
    lines connection(std::move(socket));
    for (std::string request; co_await connection.read(request);)
        co_await connection.write(compute(request));
}
// end::session[]

} // namespace

int main()
{
    // tag::model[]
    ewyk::strategy_context_group selectors(2, {.max_threads = 200, .name = "jetty"});
    // end::model[]

    tcp::acceptor acceptor(selectors.next(), anywhere());
    auto const where = acceptor.local_endpoint();
    // tag::serve[]
    asio::cancellation_signal stop;
    auto served = ewyk::serve(std::move(acceptor), selectors, session,
        asio::bind_cancellation_slot(stop.slot(), asio::use_future));
    // end::serve[]

    int const result = try_it("jetty", where, "abc", "cba");
    stop.emit(asio::cancellation_type::total);
    served.get(); // after the last connection
    selectors.join();
    return result;
}
