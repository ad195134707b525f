// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the library does on every system, in one program that needs nothing but Asio, and prints the
// same wherever it runs. It ends with 1 if something is not as it should be.

#include <asio_ewyk.hpp>
#include <asio_ewyk/server.hpp>
#include <boost/asio.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;
using namespace std::chrono_literals;

bool failed = false;

void say(char const* what, bool holds)
{
    std::cout << what << (holds ? ": yes\n" : ": NO\n") << std::flush;
    failed = failed || !holds;
}

constexpr auto strategies = {ewyk::strategy.produce_consume, ewyk::strategy.produce_execute_consume,
    ewyk::strategy.execute_produce_consume, ewyk::strategy.eat_what_you_kill};
constexpr int many = 5'000;

// A handler that waits for one that comes after it: only another thread can run that.
bool one_waits_for_another()
{
    ewyk::strategy_context context;
    std::promise<void> done;
    bool waited = false;
    asio::post(context,
        [&] { waited = done.get_future().wait_for(30s) == std::future_status::ready; });
    asio::steady_timer timer(context, 20ms);
    timer.async_wait([&](auto) { done.set_value(); });
    context.run();
    return waited;
}

bool all_are_run()
{
    bool all = true;
    for (auto const s : strategies)
    {
        ewyk::strategy_context context({.strategy = s});
        std::atomic<int> ran{0};
        for (int i = 0; i != many; ++i)
            asio::post(context, [&] { ++ran; });
        std::thread other([&] { context.run(); });
        context.run();
        other.join();
        all = all && ran == many;
    }
    return all;
}

bool a_strand_keeps_the_order()
{
    bool in_order = true;
    for (auto const s : strategies)
    {
        ewyk::strategy_context context({.strategy = s});
        auto const strand = asio::make_strand(context);
        int next = 0; // by the strand
        for (int i = 0; i != many; ++i)
            asio::post(strand, [&, i] { in_order = in_order && next++ == i; });
        context.run();
        in_order = in_order && next == many;
    }
    return in_order;
}

bool exceptions_come_out_of_run()
{
    ewyk::strategy_context context({.strategy = ewyk::strategy.produce_consume});
    for (int i = 0; i != 100; ++i)
        asio::post(context, [] { throw std::runtime_error("thrown"); });
    int caught = 0;
    for (;;)
    {
        try
        {
            context.run();
            return caught == 100;
        }
        catch (std::runtime_error const&)
        {
            ++caught;
        }
    }
}

// Threads begin and end, with what they have for themselves.
bool pools_come_and_go()
{
    std::atomic<int> ran{0};
    for (int round = 0; round != 20; ++round)
    {
        ewyk::worker_pool pool({.max_threads = 4});
        for (int i = 0; i != 200; ++i)
            pool.execute([&] { ++ran; });
        pool.join();
    }
    return ran == 4'000;
}

bool loops_run_what_they_are_given()
{
    std::atomic<int> ran{0};
    for (int round = 0; round != 10; ++round)
    {
        ewyk::event_loop_group loops(3, {.name = "tour"});
        for (int i = 0; i != 300; ++i)
            asio::post(loops.next(), [&] { ++ran; });
        auto const timer = loops.next().schedule(1ms, [&] { ++ran; });
        while (ran < 301 * (round + 1))
            std::this_thread::yield();
        if (!loops.shutdown_gracefully(0ms, 30s))
            return false;
    }
    return ran == 3'010;
}

asio::awaitable<void> echo(tcp::socket socket)
{
    std::string line(5, ' ');
    for (;;)
    {
        co_await asio::async_read(socket, asio::buffer(line), asio::use_awaitable);
        co_await asio::async_write(socket, asio::buffer(line), asio::use_awaitable);
    }
}

bool answers(tcp::endpoint where, int clients)
{
    asio::io_context here;
    for (int i = 0; i != clients; ++i)
    {
        tcp::socket client(here);
        client.connect(where);
        for (int message = 0; message != 3; ++message)
        {
            asio::write(client, asio::buffer("hello", 5));
            std::string reply(5, ' ');
            asio::read(client, asio::buffer(reply));
            if (reply != "hello")
                return false;
        }
    }
    return true;
}

// Of a handler that blocks for as long as a client is served, and of a timer.
bool a_server_beside_what_blocks()
{
    ewyk::strategy_context context;
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    auto const where = acceptor.local_endpoint();
    asio::cancellation_signal stop;
    std::promise<void> over;
    ewyk::serve(std::move(acceptor), context, echo,
        asio::bind_cancellation_slot(stop.slot(), [&](std::exception_ptr) { over.set_value(); }));
    std::promise<void> answered;
    std::atomic<bool> ticked{false};
    asio::post(context, [&] { answered.get_future().wait_for(30s); });
    asio::steady_timer timer(context, 10ms);
    timer.async_wait([&](auto) { ticked = true; });
    std::thread runner([&] { context.run(); });
    bool const all = answers(where, 10);
    while (!ticked)
        std::this_thread::yield();
    answered.set_value();
    asio::post(context, [&] { stop.emit(asio::cancellation_type::total); });
    bool const ended = over.get_future().wait_for(30s) == std::future_status::ready;
    context.stop();
    runner.join();
    return all && ended;
}

bool a_server_of_loops()
{
    ewyk::event_loop_group boss(1), workers(2);
    tcp::acceptor acceptor(boss.next(), {asio::ip::address_v4::loopback(), 0});
    auto const where = acceptor.local_endpoint();
    asio::cancellation_signal stop;
    auto served = ewyk::serve(std::move(acceptor), workers, echo,
        asio::bind_cancellation_slot(stop.slot(), asio::use_future));
    bool const all = answers(where, 10);
    asio::post(boss[0], [&] { stop.emit(asio::cancellation_type::total); });
    bool const ended = served.wait_for(30s) == std::future_status::ready;
    return all && ended && workers.shutdown_gracefully(0ms, 30s)
        && boss.shutdown_gracefully(0ms, 30s);
}

} // namespace

int main()
{
    say("one handler waits for another", one_waits_for_another());
    say("all that is posted is run", all_are_run());
    say("a strand keeps the order", a_strand_keeps_the_order());
    say("exceptions come out of run()", exceptions_come_out_of_run());
    say("pools come and go", pools_come_and_go());
    say("loops run what they are given", loops_run_what_they_are_given());
    say("a server goes on beside what blocks", a_server_beside_what_blocks());
    say("a server of loops answers", a_server_of_loops());
    return failed;
}
