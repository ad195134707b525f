// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/switch_to.hpp>

#include "switch_support.hpp"

#include <array>
#include <future>
#include <memory>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(switch_to)

namespace {

using namespace support;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;

std::string compute(std::string text)
{
    return {text.rbegin(), text.rend()};
}

// tag::there_and_back[]
awaitable<void> answer(tcp::socket socket, ewyk::worker_pool& pool)
{
    std::string text(5, ' ');
    co_await asio::async_read(socket, asio::buffer(text), use_awaitable);

    co_await ewyk::switch_to(pool.get_executor());
    text = compute(std::move(text)); // on a thread of the pool, for as long as it takes

    co_await ewyk::switch_to(co_await asio::this_coro::executor);
    co_await asio::async_write(socket, asio::buffer(text), use_awaitable);
}
// end::there_and_back[]

BOOST_AUTO_TEST_CASE(a_connection_goes_to_a_pool_and_comes_back)
{
    ewyk::event_loop loop;
    ewyk::worker_pool pool;
    end_of const home_first(loop);
    tcp::acceptor acceptor(loop, {asio::ip::address_v4::loopback(), 0});
    asio::io_context client_context;
    tcp::socket client(client_context);
    client.connect(acceptor.local_endpoint());
    auto ended = asio::co_spawn(loop, answer(acceptor.accept(), pool), asio::use_future);
    asio::write(client, asio::buffer("hello", 5));
    std::string reply(5, ' ');
    asio::read(client, asio::buffer(reply));
    BOOST_TEST(reply == "olleh");
    ended.get();
}

/// Goes from its home to a place and back, and sees at each step whether it is there.
template <class Home, class Away>
void goes_there_and_back(Home home, Away away)
{
    int there = 0;
    int back = 0;
    BOOST_TEST(run_through(home, [&]() -> awaitable<void> {
        for (int i = 0; i != 100; ++i)
        {
            co_await ewyk::switch_to(away);
            there += away.running_in_this_thread() && !home.running_in_this_thread();
            co_await ewyk::switch_to(home);
            back += home.running_in_this_thread() && !away.running_in_this_thread();
        }
    }));
    BOOST_TEST(there == 100);
    BOOST_TEST(back == 100);
}

BOOST_AUTO_TEST_CASE(from_a_loop_to_a_pool)
{
    ewyk::event_loop loop;
    ewyk::worker_pool pool;
    end_of const home_first(loop);
    goes_there_and_back(loop.get_executor(), pool.get_executor());
}

BOOST_AUTO_TEST_CASE(to_contexts)
{
    ewyk::event_loop loop;
    ewyk::worker_pool pool;
    end_of const home_first(loop);
    BOOST_TEST(run_through(loop.get_executor(), [&]() -> awaitable<void> {
        co_await ewyk::switch_to(pool);
        LOCKED_TEST(works_for(pool));
        co_await ewyk::switch_to(loop);
        LOCKED_TEST(loop.in_event_loop());
    }));
}

BOOST_AUTO_TEST_CASE(from_a_loop_to_another)
{
    ewyk::event_loop a;
    ewyk::event_loop b;
    end_of const in_order(a, b);
    goes_there_and_back(a.get_executor(), b.get_executor());
}

BOOST_AUTO_TEST_CASE(from_a_strand_of_a_loop_to_a_strand_of_a_pool)
{
    ewyk::event_loop loop;
    ewyk::worker_pool pool;
    end_of const home_first(loop);
    goes_there_and_back(asio::make_strand(loop), asio::make_strand(pool));
}

BOOST_AUTO_TEST_CASE(from_a_strategy_to_a_pool)
{
    ewyk::strategy_context context({.max_threads = 2});
    ewyk::worker_pool pool;
    auto work = asio::make_work_guard(context);
    std::thread runner([&] { context.run(); });
    goes_there_and_back(context.get_executor(), pool.get_executor());
    goes_there_and_back(asio::make_strand(context), pool.get_executor());
    work.reset();
    runner.join();
}

BOOST_AUTO_TEST_CASE(from_plain_asio_to_plain_asio)
{
    asio::io_context context;
    asio::thread_pool pool(2);
    auto work = asio::make_work_guard(context);
    std::thread runner([&] { context.run(); });
    goes_there_and_back(context.get_executor(), pool.get_executor());
    work.reset();
    runner.join();
    pool.join();
}

BOOST_AUTO_TEST_CASE(executors_whose_type_is_erased)
{
    ewyk::event_loop loop;
    ewyk::worker_pool pool;
    end_of const home_first(loop);
    bool there = false;
    bool back = false;
    BOOST_TEST(run_through(loop.get_executor(), [&]() -> awaitable<void> {
        co_await ewyk::switch_to(asio::any_io_executor(pool.get_executor()));
        there = works_for(pool);
        co_await ewyk::switch_to(co_await asio::this_coro::executor);
        back = loop.in_event_loop();
    }));
    BOOST_TEST(there);
    BOOST_TEST(back);
}

// Also one that a coroutine called.
BOOST_AUTO_TEST_CASE(the_next_operation_brings_it_home)
{
    ewyk::event_loop loop;
    ewyk::worker_pool pool;
    end_of const home_first(loop);
    bool away_after_call = false;
    bool home = false;
    auto const leave = [&]() -> awaitable<void> {
        co_await ewyk::switch_to(pool.get_executor());
    };
    BOOST_TEST(run_through(loop.get_executor(), [&]() -> awaitable<void> {
        co_await leave();
        away_after_call = works_for(pool);
        asio::steady_timer timer(loop, 1ms);
        co_await timer.async_wait(use_awaitable);
        home = loop.in_event_loop();
    }));
    BOOST_TEST(away_after_call);
    BOOST_TEST(home);
}

BOOST_AUTO_TEST_CASE(is_a_new_task_also_where_it_is_already)
{
    ewyk::event_loop loop;
    std::string order;
    BOOST_TEST(run_through(loop.get_executor(), [&]() -> awaitable<void> {
        co_await ewyk::switch_to(loop.get_executor());
        asio::post(loop, [&] { order += 'a'; });
        co_await ewyk::switch_to(loop.get_executor());
        order += 'b';
        // Costs no stack.
        for (int i = 0; i != 100'000; ++i)
            co_await ewyk::switch_to(loop.get_executor());
    }));
    BOOST_TEST(order == "ab");
}

// What a loop's coroutines share is not guarded by anything but that they are at home when they use
// it; nor is what a connection uses here and there. ThreadSanitizer sees more than the counts do.
BOOST_AUTO_TEST_CASE(a_connection_is_never_at_two_places)
{
    constexpr int connections = 8;
    constexpr int steps = 300;
    ewyk::event_loop_group loops(2);
    ewyk::worker_pool pool({.max_threads = 4, .reserve = 1});
    std::array<overlap, 2> serial;
    std::array<int, 2> at_home{};
    overlap one_place[connections];
    std::array<int, connections> done{};
    auto const connection = [&](std::size_t of, std::size_t n) -> awaitable<void> {
        auto const home = co_await asio::this_coro::executor;
        overlap& self = one_place[n];
        asio::steady_timer timer(home);
        for (int i = 0; i != steps; ++i)
        {
            self.enter();
            serial[of].enter();
            ++at_home[of];
            serial[of].leave();
            self.leave();
            co_await ewyk::switch_to(pool.get_executor());
            self.enter();
            ++done[n];
            self.leave();
            if (i % 3 == 0)
            {
                timer.expires_after(0ms);
                co_await timer.async_wait(use_awaitable);
            }
            else
                co_await ewyk::switch_to(home);
        }
    };
    std::vector<std::future<void>> ends;
    for (std::size_t n = 0; n != connections; ++n)
        ends.push_back(
            asio::co_spawn(loops[n % 2], connection(n % 2, n), asio::use_future));
    for (auto& e : ends)
        BOOST_TEST_REQUIRE((e.wait_for(patience) == std::future_status::ready));
    for (int const n : done)
        BOOST_TEST(n == steps);
    for (std::size_t of = 0; of != 2; ++of)
    {
        BOOST_TEST(at_home[of] == steps * connections / 2);
        BOOST_TEST(!serial[of].seen());
    }
    for (overlap const& o : one_place)
        BOOST_TEST(!o.seen());
    BOOST_TEST(loops.shutdown_gracefully(0ms, patience));
}

BOOST_AUTO_TEST_CASE(exceptions_while_away)
{
    event done;
    ewyk::event_loop loop;
    ewyk::worker_pool pool;
    end_of const home_first(loop);
    bool caught_away = false;
    bool handler_at_home = false;
    std::string what;
    asio::co_spawn(
        loop,
        [&]() -> awaitable<void> {
            try
            {
                co_await ewyk::switch_to(pool.get_executor());
                throw std::runtime_error("first");
            }
            catch (std::runtime_error const&)
            {
                caught_away = works_for(pool);
            }
            co_await ewyk::switch_to(loop.get_executor());
            co_await ewyk::switch_to(pool.get_executor());
            throw std::runtime_error("second");
        },
        [&](std::exception_ptr e) {
            handler_at_home = loop.in_event_loop();
            try
            {
                std::rethrow_exception(e);
            }
            catch (std::runtime_error const& x)
            {
                what = x.what();
            }
            done.set();
        });
    BOOST_TEST(done.wait());
    BOOST_TEST(caught_away);
    BOOST_TEST(handler_at_home);
    BOOST_TEST(what == "second");
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
