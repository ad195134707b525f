// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A server of another library, which knows nothing of this one, on one of its contexts.
//
//     <library>_server io_context <threads>    one thread in run()
//     <library>_server <strategy> <threads>    a strategy_context, with the default grace
//
// Says where it listens, which is at a port of the system's choice. A signal ends it.

#include "handed_server.hpp"

#include <asio_ewyk/strategy_context.hpp>

#include <cstddef>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

void arrange(std::string_view arrangement, std::size_t threads)
{
    auto const run = [](auto& context) { serve(context, [&] { context.run(); }); };
    if (arrangement == "io_context")
    {
        boost::asio::io_context context(1);
        return run(context);
    }
    asio_ewyk::strategy_context context(
        asio_ewyk::strategy_from_string(arrangement), {.max_threads = threads});
    run(context);
}

}

int main(int argc, char** argv)
try
{
    if (argc != 3)
        throw std::invalid_argument("give an arrangement and a number of threads");
    arrange(argv[1], std::stoul(argv[2]));
    return 0;
}
catch (std::exception const& e)
{
    std::cerr << argv[0] << ": " << e.what() << '\n';
    return 1;
}
