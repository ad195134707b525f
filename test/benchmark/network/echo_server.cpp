// Sends back what it gets. The session is the same whatever serves it, and is written for plain
// Asio.
//
//     echo_server io_context <threads>                    a plain acceptor, all threads in run()
//     echo_server io_context+serve <threads>              the same with asio_ewyk::serve, as below
//     echo_server event_loop <loops>                      loops that accept and serve
//     echo_server event_loops <loops>                     a boss that accepts, loops that serve
//     echo_server <strategy> <threads> <grace in us>      a strategy_context
//
// Says where it listens, which is at a port of the system's choice. A signal ends it.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;

namespace {

asio::awaitable<void> echo(tcp::socket socket)
{
    constexpr auto token = asio::as_tuple(asio::use_awaitable);
    std::array<char, 1024> piece;    // more than a message: one read empties the socket
    boost::system::error_code error;
    for (socket.set_option(tcp::no_delay(true), error); !error;)
    {
        std::size_t size = 0;
        std::tie(error, size) = co_await socket.async_read_some(asio::buffer(piece), token);
        if (!error)
            std::tie(error, size) =
                co_await asio::async_write(socket, asio::buffer(piece, size), token);
    }
}

asio::awaitable<void> listen(tcp::acceptor acceptor)
{
    for (;;)
    {
        auto socket = co_await acceptor.async_accept(asio::use_awaitable);
        auto const executor = socket.get_executor();
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

void listen_on_io_context(std::size_t threads)
{
    asio::io_context context(static_cast<int>(threads));
    asio::co_spawn(context, listen(listening(context)), rethrow);
    run(context, threads);
}

void serve_io_context(std::size_t threads)
{
    asio::io_context context(static_cast<int>(threads));
    ewyk::serve(listening(context), context, echo, rethrow);
    run(context, threads);
}

void serve_event_loop(std::size_t size)
{
    ewyk::event_loop_group loops(size, {.name = "loop"});
    ewyk::serve(listening(loops.next()), loops, echo, asio::use_future).get();
}

void serve_event_loops(std::size_t size)
{
    ewyk::event_loop_group boss(1, {.name = "boss"});
    ewyk::event_loop_group workers(size, {.name = "worker"});
    ewyk::serve(listening(boss.next()), workers, echo, asio::use_future).get();
}

void serve_strategy(std::string_view name, std::size_t threads, std::chrono::microseconds grace)
{
    ewyk::strategy_context context(
        ewyk::strategy_from_string(name), {.grace = grace, .max_threads = threads});
    ewyk::serve(listening(context), context, echo, rethrow);
    context.run();
}

}

int main(int argc, char** argv)
try
{
    std::vector<std::string> const args(argv + 1, argv + argc);
    if (args.size() < 2)
        throw std::invalid_argument("give an arrangement and a number of threads");
    auto const threads = std::stoul(args[1]);
    if (args[0] == "io_context")
        listen_on_io_context(threads);
    else if (args[0] == "io_context+serve")
        serve_io_context(threads);
    else if (args[0] == "event_loop")
        serve_event_loop(threads);
    else if (args[0] == "event_loops")
        serve_event_loops(threads);
    else
        serve_strategy(args[0], threads,
            std::chrono::microseconds(args.size() > 2 ? std::stol(args[2]) : 0));
    return 0;
}
catch (std::exception const& e)
{
    std::cerr << "echo_server: " << e.what() << '\n';
    return 1;
}
