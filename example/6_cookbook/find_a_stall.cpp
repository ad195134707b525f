// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Find which handler does not return: the library says it while the handler still runs.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <sstream>
#include <string>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using namespace std::chrono_literals;

namespace {

std::atomic<bool> reported{false};

void read_the_configuration()
{
    reported.wait(false); // a file on a disk that does not answer
}

} // namespace

int main()
{
    std::string line;
    // tag::stalls[]
    ewyk::strategy_options options{.name = "http", .stall_threshold = 20ms};
    options.on_stall = [&](ewyk::stall_report const& report) {
        std::ostringstream text;
        text << report; // "a handler of http has run for 20 ms and waits for something: ..."
        line = text.str();
        reported = true;
        reported.notify_one();
    };
    ewyk::strategy_context context(options);

    asio::post(context, [] {
        ewyk::this_invocation::set_location(); // optional: the report says this line
        read_the_configuration();
    });
    // end::stalls[]
    context.run();
    std::cout << line << '\n';
    return line.find("find_a_stall.cpp") != line.npos ? 0 : 1;
}
