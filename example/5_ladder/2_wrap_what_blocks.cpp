// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Rung 2. What blocks is wrapped, and the others run meanwhile; never two at once elsewhere. There
// is no strand and no mutex here.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <atomic>
#include <iostream>
#include <thread>

namespace asio = boost::asio;
using namespace std::chrono_literals;

int main()
{
    asio_ewyk::strategy_context context(asio_ewyk::strategy.produce_consume);
    bool answered = false;
    std::atomic<bool> other_ran{false}; // for what is inside of the section
    int requests = 0; // shared by all handlers, and not guarded

    // tag::section[]
    asio::post(context, [&] {
        ++requests;
        {
            asio_ewyk::blocking_section const blocks; // others run, one at a time
            while (!other_ran)
                std::this_thread::sleep_for(1ms); // a query, a file, a lock
        }
        // Alone again. What is shared may have changed.
        answered = requests == 2;
    });
    // end::section[]

    asio::post(context, [&] {
        ++requests;
        other_ran = true;
    });
    context.run();

    std::cout << (answered ? "the other request ran meanwhile\n" : "it did not\n");
    return answered ? 0 : 1;
}
