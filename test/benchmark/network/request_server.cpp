// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Answers what example/3_server answers, with as little as possible around it, so that what is
// measured is the execution. The same sessions run under each arrangement:
//
//     request_server <form> io_context <threads>        so many threads in run()
//     request_server <form> hand_tuned <threads>        one thread, and what blocks goes to a pool
//     request_server <form> event_loop <threads>        one loop
//     request_server <form> event_loop+busy_wait <threads>  one that never sleeps
//     request_server <form> <strategy> <threads>        a strategy_context, with the default grace
//     request_server <form> <strategy>+native <threads>    the same, but sessions know of it only
//                                                       that it is an asio::io_context
//     request_server <form> <strategy>+section <threads>   what blocks is in a blocking_section
//     request_server own <strategy>+declared <threads>  what blocks is posted to the context, and
//                                                       all else is declared to be non_blocking
//
// The form is `own`, callbacks on the executor that the context has, `any`, callbacks on Asio's
// any_io_executor, or `coroutine`, awaitables as Asio has them by default. `threads` is how many a
// pool may have. A last argument is a file to count allocations in.
//
// Says where it listens, which is at a port of the system's choice. A signal ends it.

#include "allocation_counter.hpp"

#include "3_server/offload.hpp"
#include "3_server/request_reader.hpp"
#include "3_server/responder.hpp"

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;
using boost::system::error_code;
using http_server::request_reader;

namespace {

template <class Executor>
using socket_on = asio::basic_stream_socket<tcp, Executor>;

/// What the answer to /metrics is: there are none.
std::function<std::string()> const no_metrics = [] { return std::string(); };

/// What becomes of requests that block: they go to the pool or to the executor, if there is one, or
/// are answered in a blocking_section, or like all others.
struct blocking_requests
{
    asio::thread_pool* pool = nullptr;
    ewyk::strategy_executor const* declared = nullptr; // then all else is non_blocking
    bool in_section = false;
};

/// One connection, which the callback that is awaited keeps. A request that is none closes it.
template <class Executor>
class session : public std::enable_shared_from_this<session<Executor>>
{
public:
    session(socket_on<Executor> socket, blocking_requests blocking)
      : socket_(std::move(socket)), blocking_(blocking)
    {
    }

    void go_on()
    {
        auto const parsed = reader_.parse();
        if (parsed == request_reader::outcome::need_more)
            return read();
        if (parsed == request_reader::outcome::refused)
            return;
        auto const request = reader_.get();
        reader_.next();
        bool const blocks = http_server::offload_what_blocks::takes(request);
        if (blocks && blocking_.pool)
            answer_elsewhere(blocking_.pool->get_executor(), request);
        else if (blocks && blocking_.declared)
            answer_elsewhere(*blocking_.declared, request);
        else if (blocks && blocking_.in_section)
            write(answer_in_section(request));
        else
            write(responder_.answer(request));
    }

private:
    void read()
    {
        socket_.async_read_some(reader_.prepare(),
            [self = this->shared_from_this()](error_code error, std::size_t size) {
                if (error)
                    return;
                self->reader_.commit(size);
                self->go_on();
            });
    }

    std::string_view answer_in_section(http_server::request const& request)
    {
        ewyk::blocking_section const blocks;
        return responder_.answer(request);
    }

    template <class Elsewhere>
    void answer_elsewhere(Elsewhere const& elsewhere, http_server::request const& request)
    {
        asio::post(elsewhere, [self = this->shared_from_this(), request] {
            auto const text = self->responder_.answer(request);
            asio::post(self->socket_.get_executor(), [self, text] { self->write(text); });
        });
    }

    void write(std::string_view text)
    {
        asio::async_write(socket_, asio::buffer(text),
            [self = this->shared_from_this()](error_code error, std::size_t) {
                if (!error)
                    self->go_on();
            });
    }

    socket_on<Executor> socket_;
    blocking_requests blocking_;
    request_reader reader_;
    http_server::responder responder_{no_metrics};
};

/// The same as a coroutine. Throws boost::system::system_error at the end of the connection.
asio::awaitable<void> converse(tcp::socket socket)
{
    request_reader reader;
    http_server::responder responder(no_metrics);
    for (;;)
    {
        auto const parsed = reader.parse();
        if (parsed == request_reader::outcome::refused)
            co_return;
        if (parsed == request_reader::outcome::need_more)
        {
            reader.commit(co_await socket.async_read_some(reader.prepare(), asio::use_awaitable));
            continue;
        }
        auto const request = reader.get();
        reader.next();
        auto const text = responder.answer(request);
        co_await asio::async_write(socket, asio::buffer(text), asio::use_awaitable);
    }
}

template <class Executor, class Begin>
void accept(tcp::acceptor& acceptor, Executor executor, Begin begin)
{
    acceptor.async_accept(executor,
        [&acceptor, executor, begin](error_code error, socket_on<Executor> socket) {
            if (error)
                throw boost::system::system_error(error);
            socket.set_option(tcp::no_delay(true), error); // of a client that may have gone
            begin(std::move(socket));
            accept(acceptor, executor, begin);
        });
}

template <class Executor>
void accept_callbacks(tcp::acceptor& acceptor, Executor executor, blocking_requests blocking)
{
    accept(acceptor, executor, [blocking](socket_on<Executor> socket) {
        std::make_shared<session<Executor>>(std::move(socket), blocking)->go_on();
    });
}

template <class Context, class Run>
void serve(
    std::string_view form, Context& context, Run run, blocking_requests blocking = {})
{
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    asio::any_io_executor const any = context.get_executor();
    if (form == "own" && blocking.declared)
        accept_callbacks(
            acceptor, asio::require(*blocking.declared, ewyk::invocation.non_blocking), blocking);
    else if (form == "own")
        accept_callbacks(acceptor, context.get_executor(), blocking);
    else if (form == "any" && !blocking.declared)
        accept_callbacks(acceptor, any, blocking);
    else if (form == "coroutine" && !blocking.pool && !blocking.declared
        && !blocking.in_section)
        accept(acceptor, any, [](tcp::socket socket) {
            auto const executor = socket.get_executor();
            asio::co_spawn(executor, converse(std::move(socket)), asio::detached);
        });
    else
        throw std::invalid_argument("there is no such form");
    std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
    run();
}

void arrange(std::string_view form, std::string_view arrangement, std::size_t threads)
{
    constexpr std::string_view native = "+native";
    constexpr std::string_view section = "+section";
    constexpr std::string_view declared = "+declared";
    if (arrangement == "io_context")
    {
        asio::io_context context(static_cast<int>(threads));
        return serve(form, context, [&] {
            std::vector<std::jthread> others(threads - 1);
            for (std::jthread& thread : others)
                thread = std::jthread([&] { context.run(); });
            context.run();
        });
    }
    if (arrangement == "hand_tuned")
    {
        asio::io_context context(1);
        asio::thread_pool pool(threads);
        return serve(form, context, [&] { context.run(); }, {.pool = &pool});
    }
    auto const busy = arrangement == "event_loop+busy_wait";
    if (busy || arrangement == "event_loop")
    {
        using std::chrono::nanoseconds;
        ewyk::event_loop loop({.busy_wait = busy ? nanoseconds::max() : nanoseconds::zero()});
        return serve(form, loop, ::pause);
    }
    auto const is_native = arrangement.ends_with(native);
    if (is_native)
        arrangement.remove_suffix(native.size());
    auto const in_section = arrangement.ends_with(section);
    if (in_section)
        arrangement.remove_suffix(section.size());
    auto const is_declared = arrangement.ends_with(declared);
    if (is_declared)
        arrangement.remove_suffix(declared.size());
    ewyk::strategy_context context(
        ewyk::strategy_from_string(arrangement), {.max_threads = threads});
    auto const run = [&] { context.run(); };
    if (is_native)
        serve(form, static_cast<asio::io_context&>(context), run);
    else
    {
        auto const executor = context.get_executor();
        serve(form, context, run,
            {.declared = is_declared ? &executor : nullptr, .in_section = in_section});
    }
}

}

int main(int argc, char** argv)
try
{
    std::vector<std::string> const args(argv + 1, argv + argc);
    if (args.size() < 3)
        throw std::invalid_argument("give a form, an arrangement and a number of threads");
    if (args.size() > 3)
        count_allocations(args[3].c_str());
    arrange(args[0], args[1], std::stoul(args[2]));
    return 0;
}
catch (std::exception const& e)
{
    std::cerr << "request_server: " << e.what() << '\n';
    return 1;
}
