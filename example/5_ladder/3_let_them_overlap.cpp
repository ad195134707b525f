// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Rung 3. Handlers run concurrently, and any of them may block without a word. What they share
// needs a strand. Under ThreadSanitizer this setting shows what has none.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <iostream>
#include <semaphore>

namespace asio = boost::asio;
using namespace std::chrono_literals;

int main()
{
    // tag::search[]
    // For tests: each handler has another thread produce before it begins.
    asio_ewyk::strategy_context context(
        asio_ewyk::strategy_t::execute_produce_consume, {.grace = 0ns});
    // end::search[]

    // tag::strand[]
    int shared = 0;
    auto strand = asio::make_strand(context);
    for (int i = 0; i != 100; ++i)
        asio::post(context, [&] { asio::post(strand, [&] { ++shared; }); });
    // end::strand[]

    // Two handlers that wait for each other.
    std::binary_semaphore first(0);
    std::binary_semaphore second(0);
    asio::post(context, [&] { first.release(); second.acquire(); });
    asio::post(context, [&] { second.release(); first.acquire(); });
    context.run();

    std::cout << "two handlers waited for each other; " << shared << " increments in a strand\n";
    return shared == 100 ? 0 : 1;
}
