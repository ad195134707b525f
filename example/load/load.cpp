// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A small HTTP load generator: several classes of requests side by side, each in a closed loop or
// at a constant rate.
//
//     load --port 8080 --class fast:64:/fast --class slow:8:/sleep/10000 --rate fast:20000

#include "connection.hpp"
#include "options.hpp"
#include "schedule.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
using namespace load;

using tallies = std::vector<tally>;    // one a class

/// For a program that looks at the server meanwhile.
void announce(char const* what)
{
    std::puts(what);
    std::fflush(stdout);
}

/// Runs every `threads`-th connection of each class, beginning with number `first`.
void drive(options const& o, plan const& p, std::size_t first, tallies& into)
{
    asio::io_context context(1);
    std::deque<connection> connections;
    for (std::size_t c = 0; c != o.classes.size(); ++c)
    {
        auto const& of = o.classes[c];
        for (std::size_t i = first; i < of.connections; i += o.threads)
        {
            std::optional<schedule> pace;
            if (of.rate > 0)
                pace.emplace(of.rate, i, of.connections);
            connections.emplace_back(context, p, into[c], of.path, pace).start();
        }
    }
    bool const announces = o.announce && first == 0;
    asio::steady_timer begin(context, p.begin);
    if (announces)
        begin.async_wait([](error_code) { announce("measuring"); });
    asio::steady_timer end(context, p.end);
    end.async_wait([&](error_code) {
        if (announces)
            announce("measured");
        context.stop();
    });
    context.run();
    for (auto& each : connections)
        each.finish();
}

/// Throws std::runtime_error if there is no server.
void try_to_connect(tcp::endpoint const& server)
{
    asio::io_context context;
    tcp::socket socket(context);
    error_code error;
    if (socket.connect(server, error))
        throw std::runtime_error("cannot connect to " + server.address().to_string() + ":"
            + std::to_string(server.port()) + ": " + error.message());
}

tallies measure(options const& o)
{
    try_to_connect(o.server);
    auto const start = steady_clock::now();
    auto const begin = start + o.warmup;
    plan const p{o.server, o.echo, o.websocket, o.reconnect, o.deadline, start, begin,
        begin + o.measured};
    std::vector<tallies> found(o.threads, tallies(o.classes.size()));
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 1; i < o.threads; ++i)
            threads.emplace_back([&, i] { drive(o, p, i, found[i]); });
        drive(o, p, 0, found[0]);
    }
    for (std::size_t i = 1; i < o.threads; ++i)
        for (std::size_t c = 0; c != o.classes.size(); ++c)
            found[0][c].add(found[i][c]);
    return std::move(found[0]);
}

void print(options const& o, tallies const& found)
{
    auto const us = [](histogram::duration d) {
        return std::chrono::duration<double, std::micro>(d).count();
    };
    std::printf("%s\n", o.csv
        ? "class,connections,path,requests,requests_per_s,p50_us,p90_us,p99_us,p999_us,max_us,"
          "errors,unanswered,in_time,refused"
        : "class      connections  path                requests/s    p50 us    p99 us  p99.9 us"
          "    max us  errors  unanswered  refused");
    for (std::size_t c = 0; c != found.size(); ++c)
    {
        auto const& [name, connections, path, wanted] = o.classes[c];
        auto const& times = found[c].times;
        auto const answered = static_cast<unsigned long long>(found[c].answered());
        auto const errors = static_cast<unsigned long long>(found[c].errors);
        auto const unanswered = static_cast<unsigned long long>(found[c].unanswered);
        auto const refused = static_cast<unsigned long long>(found[c].refused);
        auto const rate = static_cast<double>(answered)
            / std::chrono::duration<double>(o.measured).count();
        if (o.csv)
            std::printf("%s,%zu,%s,%llu,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%llu,%llu,%llu,%llu\n",
                name.c_str(), connections, path.c_str(), answered, rate, us(times.quantile(0.5)),
                us(times.quantile(0.9)), us(times.quantile(0.99)), us(times.quantile(0.999)),
                us(times.max()), errors, unanswered,
                static_cast<unsigned long long>(found[c].in_time), refused);
        else
            std::printf("%-10s %11zu  %-18s %11.0f %9.0f %9.0f %9.0f %9.0f %7llu %11llu %8llu\n",
                name.c_str(), connections, path.c_str(), rate, us(times.quantile(0.5)),
                us(times.quantile(0.99)), us(times.quantile(0.999)), us(times.max()), errors,
                unanswered, refused);
    }
}

}

int main(int argc, char** argv)
{
    try
    {
        auto const options = parse_options(argc, argv);
        if (options.help)
        {
            print_help(std::cout);
            return 0;
        }
        auto const found = measure(options);
        print(options, found);
        // In an overload all that is answered may have been due before.
        for (auto const& t : found)
            if (t.answered() != 0 || t.refused != 0 || (t.unanswered != 0 && t.errors == 0))
                return 0;
        throw std::runtime_error("no request was answered as it should be");
    }
    catch (usage_error const& e)
    {
        std::cerr << "load: " << e.what() << "; see --help\n";
        return 2;
    }
    catch (std::exception const& e)
    {
        std::cerr << "load: " << e.what() << '\n';
        return 1;
    }
}
