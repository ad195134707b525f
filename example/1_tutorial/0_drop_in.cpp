// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The whole change in one small program: an app of Boost.Asio changes the type of its context, and
// nothing else. A handler that blocks no longer stops the others.

// tag::program[]
#include <asio_ewyk.hpp>
#include <boost/asio.hpp>
#include <iostream>
#include <thread>

namespace asio = boost::asio;
using namespace std::chrono_literals;

int main()
{
    // tag::app[]
    asio_ewyk::strategy_context context; // was: asio::io_context context;

    asio::steady_timer timer(context, 100ms);
    timer.async_wait([](auto) { std::cout << "the timer\n"; });

    asio::post(context, [] {
        std::cout << "a handler blocks\n";
        std::this_thread::sleep_for(1s); // a query, a file, a lock
        std::cout << "it is done\n";
    });

    context.run();
    // end::app[]
}
// end::program[]
