// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// An io_context that someone else owns: what lives on the executor of use_strategy works as on a
// strategy_context, and the owner's own code goes on as before.

#include "support.hpp"

#include <array>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>

#ifndef ASIO_EWYK_TEST_YARDSTICK

using namespace support;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

struct fixture
{
    explicit fixture(setting const& s) : on(ewyk::use_strategy(ioc, s.strategy, options(s))) {}

    // As many threads as the setting says, each until run() returns.
    std::size_t run(setting const& s)
    {
        deadline const in_time(ioc);
        std::atomic<std::size_t> handlers{0};
        std::vector<std::thread> others;
        for (std::size_t i = 1; i < s.callers; ++i)
            others.emplace_back([&] { handlers += ewyk::run(ioc); });
        handlers += ewyk::run(ioc);
        for (auto& t : others)
            t.join();
        return handlers;
    }

    asio::io_context ioc;
    ewyk::strategy_executor on;
};

asio::awaitable<void> echo_once(tcp::acceptor& acceptor)
{
    tcp::socket peer = co_await acceptor.async_accept(asio::use_awaitable);
    std::array<char, 16> buffer;
    auto const n = co_await peer.async_read_some(asio::buffer(buffer), asio::use_awaitable);
    co_await asio::async_write(peer, asio::buffer(buffer, n), asio::use_awaitable);
}

asio::awaitable<std::string> ask(tcp::socket& socket, tcp::endpoint at)
{
    co_await socket.async_connect(at, asio::use_awaitable);
    co_await asio::async_write(socket, asio::buffer("hello", 5), asio::use_awaitable);
    std::string answer(5, '\0');
    co_await asio::async_read(socket, asio::buffer(answer), asio::use_awaitable);
    co_return answer;
}

}

BOOST_AUTO_TEST_SUITE(drop_in_use_strategy)

CONTEXT_TEST_CASE(sockets_and_coroutines, s)
{
    fixture f(s);
    tcp::acceptor acceptor(f.on, {asio::ip::address_v4::loopback(), 0});
    tcp::socket socket(f.on);
    asio::co_spawn(f.on, echo_once(acceptor), asio::detached);
    auto answer = asio::co_spawn(f.on, ask(socket, acceptor.local_endpoint()), asio::use_future);
    f.run(s);
    BOOST_TEST_REQUIRE((answer.wait_for(0s) == std::future_status::ready));
    BOOST_TEST(answer.get() == "hello");
    BOOST_TEST(f.ioc.stopped());
}

CONTEXT_TEST_CASE(posts_timers_and_strands, s)
{
    fixture f(s);
    std::atomic<int> ran{0};
    overlap inside;
    auto const strand = asio::make_strand(f.on);
    asio::steady_timer timer(f.on, 1ms);
    timer.async_wait([&](error_code ec) { ran += ec ? 1000 : 1; });
    for (int i = 0; i < 100; ++i)
    {
        asio::post(f.on, [&] { ++ran; });
        asio::post(strand, [&] {
            inside.enter();
            ++ran;
            inside.leave();
        });
    }
    f.run(s);
    BOOST_TEST(ran == 201);
    BOOST_TEST(!inside.seen());
}

CONTEXT_TEST_CASE(the_owner_s_own_handlers_run_too, s)
{
    fixture f(s);
    std::atomic<int> ran{0};
    asio::steady_timer timer(f.ioc, 1ms);
    timer.async_wait([&](error_code ec) { ran += ec ? 1000 : 1; });
    asio::post(f.ioc, [&] {
        ++ran;
        asio::post(f.on, [&] { ++ran; });
    });
    asio::post(f.on, [&] { asio::post(f.ioc, [&] { ++ran; }); });
    f.run(s);
    BOOST_TEST(ran == 4);
}

CONTEXT_TEST_CASE(work_of_either_executor_keeps_run_running, s)
{
    fixture f(s);
    auto theirs = std::make_unique<asio::executor_work_guard<asio::io_context::executor_type>>(
        f.ioc.get_executor());
    auto ours = std::make_unique<asio::executor_work_guard<ewyk::strategy_executor>>(f.on);
    std::atomic<int> ran{0};
    std::thread outside([&] {
        auto first = asio::post(f.on, asio::use_future([&] { ++ran; }));
        bool in_time = first.wait_for(patience) == std::future_status::ready;
        theirs.reset();
        auto second = asio::post(f.on, asio::use_future([&] { ++ran; }));
        in_time = in_time && second.wait_for(patience) == std::future_status::ready;
        LOCKED_TEST(in_time);
        asio::post(f.ioc, [&] { ++ran; });
        ours.reset();
    });
    f.run(s);
    outside.join();
    BOOST_TEST(ran == 3);
}

// The owner stops its io_context: it does not know that anything else is there.
CONTEXT_TEST_CASE(stop_of_the_io_context_ends_run, s)
{
    fixture f(s);
    auto const work = asio::make_work_guard(f.ioc);
    asio::post(f.on, [&] { f.ioc.stop(); });
    f.run(s);
    BOOST_TEST(f.ioc.stopped());
    f.ioc.restart();

    std::promise<void> running;
    std::thread outside([&] {
        bool const in_time = running.get_future().wait_for(patience) == std::future_status::ready;
        LOCKED_TEST(in_time);
        f.ioc.stop();
    });
    asio::post(f.on, [&] { running.set_value(); });
    f.run(s);
    outside.join();
    BOOST_TEST(f.ioc.stopped());
}

// Without ewyk::run() there is no strategy, but nothing is lost.
CONTEXT_TEST_CASE(plain_run_runs_the_same_handlers, s)
{
    fixture f(s);
    std::atomic<int> ran{0};
    asio::steady_timer timer(f.on, 1ms);
    timer.async_wait([&](error_code ec) { ran += ec ? 1000 : 1; });
    for (int i = 0; i < 10; ++i)
        asio::post(asio::make_strand(f.on), [&] {
            ++ran;
            asio::post(f.on, [&] { ++ran; });
        });
    deadline const in_time(f.ioc);
    f.ioc.run();
    BOOST_TEST(ran == 21);
    BOOST_TEST(f.ioc.stopped());
}

CONTEXT_TEST_CASE(handlers_left_over_are_destroyed_unrun, s)
{
    census c;
    {
        fixture f(s);
        asio::steady_timer timer(f.on, 1h);
        timer.async_wait(resident(c));
        asio::post(f.ioc, [&] { f.ioc.stop(); });
        f.run(s);
        for (int i = 0; i < 10; ++i)
        {
            asio::post(f.on, resident(c));
            asio::post(asio::make_strand(f.on), resident(c));
            asio::co_spawn(
                f.on,
                [r = resident(c)]() -> asio::awaitable<void> {
                    r();
                    co_return;
                },
                asio::detached);
        }
    }
    BOOST_TEST(c.made == 31);
    BOOST_TEST(c.destroyed == 31);
    BOOST_TEST(c.ran == 0);
}

CONTEXT_TEST_CASE(a_second_strategy_for_the_same_io_context, s)
{
    fixture f(s);
    auto const pec = ewyk::use_strategy(f.ioc, ewyk::strategy.produce_execute_consume);
    BOOST_TEST(asio::query(f.on, ewyk::strategy) == s.strategy);
    BOOST_TEST(asio::query(pec, ewyk::strategy) == ewyk::strategy.produce_execute_consume);
    BOOST_TEST((pec == asio::require(f.on, ewyk::strategy.produce_execute_consume)));
    BOOST_CHECK_THROW(ewyk::use_strategy(f.ioc, s.strategy, options(s)), std::logic_error);
    std::atomic<int> ran{0};
    asio::post(f.on, [&] { ++ran; });
    asio::post(pec, [&] { ++ran; });
    f.run(s);
    BOOST_TEST(ran == 2);
}

BOOST_AUTO_TEST_CASE(without_a_strategy_it_is_plain_run)
{
    asio::io_context ioc;
    int ran = 0;
    asio::post(ioc, [&] { ++ran; });
    BOOST_TEST(ewyk::run(ioc) == 1u);
    BOOST_TEST(ran == 1);
    BOOST_TEST(ioc.stopped());
    ioc.restart();
    ewyk::halt(ioc);
    BOOST_TEST(ioc.stopped());
    BOOST_TEST(ewyk::metrics(ioc).tasks() == 0u);
    BOOST_TEST(!ewyk::detail::strategy_service::installed_in(ioc));
}

CONTEXT_TEST_CASE(it_has_metrics_and_can_be_halted, s)
{
    census c;
    fixture f(s);
    static_cast<void>(ewyk::metrics(f.ioc)); // from now on each is counted at once
    for (int i = 0; i != 3; ++i)
        asio::post(f.on, resident(c));
    f.run(s);
    BOOST_TEST(c.ran == 3);
    BOOST_TEST(ewyk::metrics(f.ioc).tasks() == 3u);
    BOOST_TEST(ewyk::metrics(f.ioc).strategy == s.strategy);
    asio::post(f.on, resident(c));
    ewyk::halt(f.ioc);
    BOOST_TEST(f.ioc.stopped());
    f.run(s);
    BOOST_TEST(c.ran == 3);
}

BOOST_AUTO_TEST_SUITE_END()

#endif
