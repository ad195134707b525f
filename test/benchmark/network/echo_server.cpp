// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Sends back what it gets. The session is the same whatever serves it, and is written for plain
// Asio.
//
//     echo_server <executor> io_context <threads>         a plain acceptor, all threads in run()
//     echo_server <executor> io_context+serve <threads>   the same with asio_ewyk::serve, as below
//     echo_server <executor> event_loop <loops>           loops that accept and serve
//     echo_server <executor> event_loops <loops>          a boss that accepts, loops that serve
//     echo_server <executor> <strategy> <threads> <grace in us>      a strategy_context
//
// The executor of sockets and coroutines is `any`, any_io_executor, which is Asio's default, or
// `own`, the type that the context has.
//
// Says where it listens, which is at a port of the system's choice. A signal ends it.

#include <asio_ewyk.hpp>
#include <asio_ewyk/server.hpp>
#include <boost/asio.hpp>

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;

namespace {

template <class Executor>
asio::awaitable<void, Executor> echo(asio::basic_stream_socket<tcp, Executor> socket)
{
    std::array<char, 256> piece;    // more than a message: one read empties the socket
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    for (;;)
    {
        auto const [read_error, size] = co_await socket.async_read_some(
            asio::buffer(piece), asio::as_tuple(asio::deferred));
        if (read_error)
            co_return;
        auto const [write_error, written] = co_await asio::async_write(
            socket, asio::buffer(piece, size), asio::as_tuple(asio::deferred));
        if (write_error)
            co_return;
    }
}

// Sessions for serve, which gives a socket with any_io_executor to those that take it.
struct echo_any
{
    template <class Context>
    using executor_of = asio::any_io_executor;

    auto operator()(tcp::socket socket) const { return echo(std::move(socket)); }
};

struct echo_own
{
    template <class Context>
    using executor_of = typename Context::executor_type;

    template <class Executor>
        requires(!std::same_as<Executor, asio::any_io_executor>)
    auto operator()(asio::basic_stream_socket<tcp, Executor> socket) const
    {
        return echo(std::move(socket));
    }
};

template <class Executor>
asio::awaitable<void> listen(tcp::acceptor acceptor, Executor executor)
{
    for (;;)
    {
        auto socket = co_await acceptor.async_accept(executor, asio::use_awaitable);
        asio::co_spawn(executor, echo(std::move(socket)), asio::detached);
    }
}

void rethrow(std::exception_ptr e)
{
    if (e)
        std::rethrow_exception(e);
}

template <class Context>
tcp::acceptor listening(Context& context)
{
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
    return acceptor;
}

void run(asio::io_context& context, std::size_t threads)
{
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i)
        others.emplace_back([&] { context.run(); });
    context.run();
}

template <class Session>
void listen_on_io_context(std::size_t threads)
{
    asio::io_context context(static_cast<int>(threads));
    using executor = typename Session::template executor_of<asio::io_context>;
    asio::co_spawn(
        context, listen(listening(context), executor(context.get_executor())), rethrow);
    run(context, threads);
}

template <class Session>
void serve_io_context(std::size_t threads)
{
    asio::io_context context(static_cast<int>(threads));
    ewyk::serve(listening(context), context, Session(), rethrow);
    run(context, threads);
}

template <class Session>
void serve_event_loop(std::size_t size)
{
    ewyk::event_loop_group loops(size, {.name = "loop"});
    ewyk::serve(listening(loops.next()), loops, Session(), asio::use_future).get();
}

template <class Session>
void serve_event_loops(std::size_t size)
{
    ewyk::event_loop_group workers(size, {.name = "worker"});
    ewyk::event_loop_group boss(1, {.name = "boss"});
    ewyk::serve(listening(boss.next()), workers, Session(), asio::use_future).get();
}

template <class Session>
void serve_strategy(std::string_view name, std::size_t threads, std::chrono::microseconds grace)
{
    ewyk::strategy_context context(
        ewyk::strategy_from_string(name), {.grace = grace, .max_threads = threads});
    ewyk::serve(listening(context), context, Session(), rethrow);
    context.run();
}

template <class Session>
void serve(std::string_view arrangement, std::size_t threads, std::chrono::microseconds grace)
{
    if (arrangement == "io_context")
        listen_on_io_context<Session>(threads);
    else if (arrangement == "io_context+serve")
        serve_io_context<Session>(threads);
    else if (arrangement == "event_loop")
        serve_event_loop<Session>(threads);
    else if (arrangement == "event_loops")
        serve_event_loops<Session>(threads);
    else
        serve_strategy<Session>(arrangement, threads, grace);
}

}

int main(int argc, char** argv)
try
{
    std::vector<std::string> const args(argv + 1, argv + argc);
    if (args.size() < 3 || (args[0] != "any" && args[0] != "own"))
        throw std::invalid_argument("give any or own, an arrangement and a number of threads");
    auto const threads = std::stoul(args[2]);
    auto const grace = std::chrono::microseconds(args.size() > 3 ? std::stol(args[3]) : 0);
    if (args[0] == "any")
        serve<echo_any>(args[1], threads, grace);
    else
        serve<echo_own>(args[1], threads, grace);
    return 0;
}
catch (std::exception const& e)
{
    std::cerr << "echo_server: " << e.what() << '\n';
    return 1;
}
