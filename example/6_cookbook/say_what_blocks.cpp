// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Nothing has to be annotated; but a handler that never blocks can be declared so, and saves the
// hand-over. What is said is a property of the handler's executor, like any other of Asio's. A
// handler that is about to block can say that, too.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <array>
#include <iostream>
#include <thread>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using namespace std::chrono_literals;

int main()
{
    ewyk::strategy_context context;
    asio::readable_pipe source(context);
    asio::writable_pipe sink(context);
    asio::connect_pipe(source, sink);

    // tag::properties[]
    auto ex = context.get_executor();
    auto never_blocks = asio::require(ex, ewyk::invocation.non_blocking);
    auto to_the_pool = asio::require(ex, ewyk::strategy.produce_execute_consume);

    std::array<char, 16> buffer;
    source.async_read_some(asio::buffer(buffer), asio::bind_executor(never_blocks,
        [&](boost::system::error_code, std::size_t n) {
            std::cout << n << " bytes, seen by the thread that waited for them\n";
            asio::post(to_the_pool, [] { std::cout << "the work, by a thread of the pool\n"; });
        }));
    // end::properties[]

    // tag::blocking_section[]
    asio::post(context, [] {
        // ... what does not block
        ewyk::blocking_section const blocks; // from here to the end of the scope
        std::this_thread::sleep_for(10ms);   // a query, a file, a lock
    });
    // end::blocking_section[]

    // tag::any_executor[]
    ewyk::any_executor any = asio::make_strand(to_the_pool);
    any = asio::require(any, ewyk::invocation.non_blocking);
    // end::any_executor[]
    asio::post(any, [] {});

    asio::write(sink, asio::buffer("hello", 5));
    context.run();

    // tag::query[]
    bool pool = asio::query(to_the_pool, ewyk::strategy) == ewyk::strategy.produce_execute_consume;
    // end::query[]
    return pool ? 0 : 1;
}
