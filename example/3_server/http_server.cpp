// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// An HTTP/1.1 server on Boost.Beast and coroutines, with the execution strategy, or the threading
// model of a known server, as an option.
//
// The handlers, the coroutines and the sockets are the same whatever the strategy, and are written
// for plain Asio: the only thing that changes is the type of the context, in serve(). Some models
// also have requests answered elsewhere than where they are read, which is one step of a session.
//
//     http_server --strategy eat_what_you_kill --port 8080
//     http_server --model netty --port 8080
//     curl http://127.0.0.1:8080/fast http://127.0.0.1:8080/sleep/10000

#include "arrangement.hpp"
#include "models.hpp"
#include "options.hpp"
#include "server.hpp"
#include "usage.hpp"
#include <asio_ewyk.hpp>

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

namespace asio = boost::asio;

namespace {

// Threads that may wait for something cost little, so there are more of them than cores.
constexpr std::size_t default_threads = 16;

template <class Arrangement>
void serve(Arrangement& arrangement, http_server::options const& options)
{
    http_server::server server(arrangement, options.where, options.timeout,
        options.max_queue_delay, options.turns_away);
    std::cout << "listening on " << server.local_endpoint() << " (" << options.arrangement() << ")"
              << std::endl;
    auto const before = http_server::usage::now();
    auto used = before;
    server.run([&] { used = http_server::usage::now() - before; });
    std::cout << "served " << server.served() << " requests with " << used.cpu.count()
              << " us of CPU and " << used.switches << " voluntary context switches" << std::endl;
}

void serve_model(http_server::options const& options)
{
    using namespace http_server;
    auto const threads = [&](std::size_t otherwise) {
        return options.threads ? options.threads : otherwise;
    };

    if (options.model == "redis")
    {
        models::redis arrangement(options.watched);
        serve(arrangement, options);
    }
    else if (options.model == "tomcat")
    {
        one_context<asio_ewyk::strategy_context> arrangement(1,
            asio_ewyk::strategy.produce_execute_consume,
            asio_ewyk::strategy_options{
                .max_threads = threads(default_threads),
                .name = "tomcat",
                .stall_threshold = options.watched.stall_threshold,
                .timing = options.watched.timing});
        serve(arrangement, options);
    }
    else if (options.model == "netty")
    {
        models::netty arrangement(threads(default_threads), options.watched);
        serve(arrangement, options);
    }
    else if (options.model == "kafka")
    {
        models::kafka arrangement(threads(8), options.watched);
        serve(arrangement, options);
    }
    else if (options.model == "hadoop")
    {
        models::hadoop arrangement(threads(256), options.watched);
        serve(arrangement, options);
    }
    else if (options.model == "jetty")
    {
        models::jetty arrangement(threads(default_threads), options.grace, options.watched);
        serve(arrangement, options);
    }
}

void serve_strategy(http_server::options const& options)
{
    using namespace http_server;
    auto const threads = options.threads ? options.threads : default_threads;

    if (options.strategy == "io_context_per_thread")
    {
        std::size_t const cores = std::max(1u, std::thread::hardware_concurrency());
        context_per_thread arrangement(options.threads ? options.threads : cores);
        serve(arrangement, options);
    }
    else if (options.strategy == "io_context_and_pool")
    {
        context_and_pool arrangement(threads);
        serve(arrangement, options);
    }
    else if (options.strategy == "io_context")
    {
        one_context<asio::io_context> arrangement(threads, static_cast<int>(threads));
        serve(arrangement, options);
    }
    else
    {
        auto const strategy = [&] {
            try
            {
                return asio_ewyk::strategy_from_string(options.strategy);
            }
            catch (std::invalid_argument const& e)
            {
                throw usage_error(std::string(e.what())
                    + ", io_context, io_context_per_thread, io_context_and_pool");
            }
        }();
        one_context<asio_ewyk::strategy_context> arrangement(
            1, strategy,
            asio_ewyk::strategy_options{
                .grace = options.grace, .max_threads = threads,
                .stall_threshold = options.watched.stall_threshold,
                .timing = options.watched.timing});
        serve(arrangement, options);
    }
}

void write_trace(std::string const& file)
{
    std::ofstream out(file, std::ios::binary);
    asio_ewyk::trace::write(out);
    if (!out.flush())
        std::cerr << "http_server: cannot write the trace to " << file << '\n';
}

}

int main(int argc, char** argv)
{
    try
    {
        auto const options = http_server::parse_options(argc, argv);
        if (!options.trace.empty())
            asio_ewyk::trace::start();
        if (options.help)
            http_server::print_help(std::cout);
        else if (options.model.empty())
            serve_strategy(options);
        else
            serve_model(options);
        if (!options.trace.empty())
            write_trace(options.trace);
        return 0;
    }
    catch (http_server::usage_error const& e)
    {
        std::cerr << "http_server: " << e.what() << "; see --help\n";
        return 2;
    }
    catch (std::exception const& e)
    {
        std::cerr << "http_server: " << e.what() << '\n';
        return 1;
    }
}
