// A small HTTP load generator: closed loop, several classes of requests side by side.
//
//     load --port 8080 --class fast:64:/fast --class slow:8:/sleep/10000

#include "connection.hpp"
#include "options.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
using namespace load;

using tallies = std::vector<tally>;    // one a class

/// Runs every `threads`-th connection of each class, beginning with number `first`.
void drive(options const& o, plan const& p, std::size_t first, tallies& into)
{
    asio::io_context context(1);
    std::deque<connection> connections;
    for (std::size_t c = 0; c != o.classes.size(); ++c)
        for (std::size_t i = first; i < o.classes[c].connections; i += o.threads)
            connections.emplace_back(context, p, into[c], o.classes[c].path).start();
    asio::steady_timer end(context, p.end);
    end.async_wait([&](boost::system::error_code) { context.stop(); });
    context.run();
}

/// Throws std::runtime_error if nobody listens there.
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
    auto const begin = steady_clock::now() + o.warmup;
    plan const p{o.server, begin, begin + o.measured};
    std::vector<tallies> found(o.threads, tallies(o.classes.size()));
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 1; i < o.threads; ++i)
            threads.emplace_back([&, i] { drive(o, p, i, found[i]); });
        drive(o, p, 0, found[0]);
    }
    for (std::size_t i = 1; i < o.threads; ++i)
        for (std::size_t c = 0; c != o.classes.size(); ++c)
        {
            found[0][c].times.add(found[i][c].times);
            found[0][c].errors += found[i][c].errors;
        }
    return std::move(found[0]);
}

void print(options const& o, tallies const& found)
{
    auto const us = [](histogram::duration d) {
        return std::chrono::duration<double, std::micro>(d).count();
    };
    std::printf("%s\n", o.csv
        ? "class,connections,path,requests,requests_per_s,p50_us,p99_us,p999_us,max_us,errors"
        : "class      connections  path                requests/s    p50 us    p99 us  p99.9 us"
          "    max us  errors");
    for (std::size_t c = 0; c != found.size(); ++c)
    {
        auto const& [name, connections, path] = o.classes[c];
        auto const& [times, errors] = found[c];
        auto const rate = static_cast<double>(times.count())
            / std::chrono::duration<double>(o.measured).count();
        if (o.csv)
            std::printf("%s,%zu,%s,%llu,%.1f,%.1f,%.1f,%.1f,%.1f,%llu\n", name.c_str(), connections,
                path.c_str(), static_cast<unsigned long long>(times.count()), rate,
                us(times.quantile(0.5)), us(times.quantile(0.99)), us(times.quantile(0.999)),
                us(times.max()), static_cast<unsigned long long>(errors));
        else
            std::printf("%-10s %11zu  %-18s %11.0f %9.0f %9.0f %9.0f %9.0f %7llu\n", name.c_str(),
                connections, path.c_str(), rate, us(times.quantile(0.5)), us(times.quantile(0.99)),
                us(times.quantile(0.999)), us(times.max()),
                static_cast<unsigned long long>(errors));
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
        for (auto const& t : found)
            if (t.times.count() != 0)
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
