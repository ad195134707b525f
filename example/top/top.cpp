// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Shows on a terminal what a running server does, second by second: a program like top(1) that
// reads the server's page of metrics.
//
//     http_server --timing --port 8080 &
//     top --port 8080

#include "fetch.hpp"
#include "options.hpp"
#include "page.hpp"
#include "view.hpp"

#include <chrono>
#include <exception>
#include <iostream>
#include <thread>
#include <unistd.h>

namespace {

using clock = std::chrono::steady_clock;

void show(top::options const& options)
{
    bool const repaint = ::isatty(STDOUT_FILENO) == 1;
    top::server server(options.host, options.port, options.path);
    auto before = top::read_page(server.fetch());
    auto looked = clock::now();
    for (long shown = 0; options.count == 0 || shown != options.count; ++shown)
    {
        std::this_thread::sleep_until(looked + options.interval);
        auto now = top::read_page(server.fetch());
        auto const time = clock::now();
        std::chrono::duration<double> const passed = time - std::exchange(looked, time);
        if (repaint)
            std::cout << "\x1b[H\x1b[2J";    // from the upper left, nothing left of before
        else if (shown != 0)
            std::cout << '\n';
        std::cout << options.host << ':' << options.port << options.path << ", the last "
                  << passed.count() << " s\n"
                  << top::view(before, now, passed.count(), options.sort).text() << std::flush;
        if (!std::cout)
            return;    // the reader is gone
        before = std::move(now);
    }
}

}

int main(int argc, char** argv)
{
    try
    {
        auto const options = top::parse_options(argc, argv);
        if (options.help)
            top::print_help(std::cout);
        else
            show(options);
        return 0;
    }
    catch (top::usage_error const& e)
    {
        std::cerr << "top: " << e.what() << "; see --help\n";
        return 2;
    }
    catch (std::exception const& e)
    {
        std::cerr << "top: " << e.what() << '\n';
        return 1;
    }
}
