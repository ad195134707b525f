// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The strategy is an argument: here it comes from the command line, by name. The program shows what
// runs a handler that was posted, with each strategy: the thread that called run(), which found the
// handler, or a thread of the pool.

#include <asio_ewyk.hpp>

#include <boost/asio.hpp>

#include <iostream>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;

namespace {

void show(ewyk::strategy_t strategy)
{
    // tag::strategy[]
    ewyk::strategy_context context(strategy, {.max_threads = 16});
    // end::strategy[]
    asio::post(context, [caller = std::this_thread::get_id()] {
        bool const here = std::this_thread::get_id() == caller;
        std::cout << (here ? "the thread that called run()" : "a thread of the pool") << '\n';
    });
    std::cout << strategy << ": ";
    context.run();
}

} // namespace

int main(int argc, char** argv)
try
{
    if (argc > 2)
        throw std::invalid_argument("usage: choose_a_strategy [STRATEGY]");
    if (argc == 2)
    {
        // tag::from_string[]
        std::string_view const name = argv[1];
        show(ewyk::strategy_from_string(name)); // throws if there is no such strategy
        // end::from_string[]
        return 0;
    }
    show(ewyk::strategy.produce_consume);
    show(ewyk::strategy.produce_execute_consume);
    show(ewyk::strategy.execute_produce_consume);
    show(ewyk::strategy.eat_what_you_kill);
}
catch (std::invalid_argument const& e)
{
    std::cerr << e.what() << '\n';
    return 2;
}
