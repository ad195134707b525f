// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Rung 1. One handler at a time, in order, on the thread that calls run(): as with an io_context.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <iostream>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;

int main()
{
    // tag::context[]
    asio_ewyk::strategy_context context(1); // was: asio::io_context context(1);
    // end::context[]

    std::vector<int> order;
    bool here = true;
    for (int i = 0; i != 3; ++i)
        asio::post(context, [&, i, caller = std::this_thread::get_id()] {
            here = here && caller == std::this_thread::get_id();
            order.push_back(i);
        });
    context.run();

    bool const as_before = here && order == std::vector{0, 1, 2};
    std::cout << (as_before ? "three handlers, in order, on the thread that called run()\n"
                            : "not as before\n");
    return as_before ? 0 : 1;
}
