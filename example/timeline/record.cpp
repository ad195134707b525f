// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Runs the same six tasks under a strategy and writes what happened as a trace.
//
//   record STRATEGY GRACE_IN_MICROSECONDS TRACE
//
// A client posts a task each 2 ms. Two of them block for long, the others are short; where the
// grace is 0, they say which they are.

#include <asio_ewyk.hpp>

#include <boost/asio.hpp>

#include <charconv>
#include <chrono>
#include <exception>
#include <fstream>
#include <iostream>
#include <latch>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#if defined(__linux__)
#include <pthread.h>
#endif

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using namespace std::chrono_literals;

namespace {

// Handlers of these names, as the picture shows them.
struct read_1
{
    void operator()() const { std::this_thread::sleep_for(1200us); }
};
struct read_3 : read_1
{
};
struct read_5 : read_1
{
};
struct read_6 : read_1
{
};
struct query_2
{
    void operator()() const { std::this_thread::sleep_for(8ms); }
};
struct query_4 : query_2
{
};

void name_this_thread([[maybe_unused]] char const* name)
{
#if defined(__linux__)
    ::pthread_setname_np(::pthread_self(), name);
#endif
}

// Starts the pool's threads, so that they are parked when the first task comes.
void warm_up(ewyk::worker_pool& pool, std::size_t threads)
{
    std::latch together(static_cast<std::ptrdiff_t>(threads));
    for (std::size_t i = 0; i != threads; ++i)
        pool.execute([&] { together.arrive_and_wait(); });
    while (pool.parked_threads() != threads)
        std::this_thread::sleep_for(1ms);
}

void serve(ewyk::strategy_t s, std::chrono::microseconds grace)
{
    constexpr std::size_t threads = 3;
    ewyk::strategy_context ctx(
        {.strategy = s, .grace = grace, .max_threads = threads, .name = "pool"});
    auto const any = ctx.get_executor();
    auto const quick = grace == 0us ? asio::require(any, ewyk::invocation.non_blocking) : any;
    warm_up(ctx.pool(), threads);
    auto work = asio::make_work_guard(ctx);
    name_this_thread("client");
    // tag::start[]
    ewyk::trace::start({.events_per_thread = 1024});
    // end::start[]
    std::thread caller([&] {
        name_this_thread("run()");
        ctx.run();
    });
    std::this_thread::sleep_for(2ms);
    asio::post(quick, read_1());
    std::this_thread::sleep_for(2ms);
    asio::post(any, query_2());
    std::this_thread::sleep_for(2ms);
    asio::post(quick, read_3());
    std::this_thread::sleep_for(2ms);
    asio::post(any, query_4());
    std::this_thread::sleep_for(2ms);
    asio::post(quick, read_5());
    std::this_thread::sleep_for(2ms);
    asio::post(quick, read_6());
    work.reset();
    caller.join();
    ewyk::trace::stop();
}

}

int main(int argc, char** argv)
{
    try
    {
        std::string const text = argc == 4 ? argv[2] : "";
        unsigned grace = 0;
        auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), grace);
        if (error != std::errc() || *end != '\0')
        {
            std::cerr << "usage: record STRATEGY GRACE_IN_MICROSECONDS TRACE\n";
            return 2;
        }
        serve(ewyk::strategy_from_string(argv[1]), std::chrono::microseconds(grace));
        // tag::write[]
        std::ofstream out(argv[3], std::ios::binary);
        ewyk::trace::write(out);
        // end::write[]
        if (!out.flush())
            throw std::runtime_error(std::string("cannot write ") + argv[3]);
        return 0;
    }
    catch (std::invalid_argument const& e) // such as a strategy of that name
    {
        std::cerr << "record: " << e.what() << '\n';
        return 2;
    }
    catch (std::exception const& e)
    {
        std::cerr << "record: " << e.what() << '\n';
        return 1;
    }
}
