// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Contexts, pools, loops and groups tell how much waits there, and for how long.

#include "pool_support.hpp"
#include <asio_ewyk/loop/event_loop_group.hpp>
#include <asio_ewyk/loop/strategy_context_group.hpp>
#include <asio_ewyk/server/serve_options.hpp>
#include <asio_ewyk/strategy_context.hpp>

#include <array>
#include <functional>
#include <thread>
#include <vector>

#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes the operators of a coroutine's frame for a mismatch, depending on what it inlines.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

using namespace support;

BOOST_AUTO_TEST_SUITE(load)

using tcp = asio::ip::tcp;

// tag::reading[]
asio::awaitable<void> session(tcp::socket socket, std::function<bool()> overloaded)
{
    asio::steady_timer pause(socket.get_executor());
    std::array<char, 1024> request;
    for (;;)
    {
        co_await socket.async_wait(tcp::socket::wait_read, asio::use_awaitable);
        while (overloaded()) // shedder.overloaded(), or a rule as above
        {
            pause.expires_after(10ms);
            co_await pause.async_wait(asio::use_awaitable);
        }
        auto const n = co_await socket.async_read_some(
            asio::buffer(request), asio::use_awaitable);
        co_await asio::async_write(socket, asio::buffer(request, n), asio::use_awaitable);
    }
}
// end::reading[]

namespace {

// Something that runs what is posted to it, on one thread. No other thread may take over where the
// first one is late: tasks that no thread is left for run at once.
template <class Context>
void is_told_while_tasks_wait(Context& context)
{
    BOOST_TEST(context.load().waiting == 0u);
    BOOST_TEST((context.load().delay == 0ns));
    event begun;
    event release;
    asio::post(context, [&] {
        begun.set();
        release.wait();
    });
    BOOST_TEST_REQUIRE(begun.wait());
    std::atomic<int> ran{0};
    for (int i = 0; i != 3; ++i)
        asio::post(context, [&] { ++ran; });
    BOOST_TEST(eventually([&] { return context.load().waiting == 3u; }));
    // What waits now counts before it begins.
    BOOST_TEST(eventually([&] { return context.load().delay >= 5ms; }));
    BOOST_TEST(eventually([&] { return context.metrics().load.waiting == 3u; }));
    BOOST_TEST(eventually([&] { return context.metrics().load.delay >= 5ms; }));
    release.set();
    BOOST_TEST(eventually([&] { return ran == 3; }));
    BOOST_TEST(eventually([&] { return context.load().waiting == 0u; }));
    // It counts for the average, and is over when what came later did not wait.
    BOOST_TEST(eventually([&] { return context.load().average_delay > 0ns; }));
    BOOST_TEST(eventually([&] { return context.load().delay == 0ns; }));
}

void works(ewyk::strategy_t s)
{
    ewyk::strategy_options o;
    o.strategy = s;
    o.grace = 24h;
    o.max_threads = 1;
    ewyk::strategy_context context(o);
    auto work = asio::make_work_guard(context);
    std::thread caller([&] { context.run(); });
    is_told_while_tasks_wait(context);
    work.reset();
    caller.join();
}

BOOST_AUTO_TEST_CASE(of_a_context)
{
    works(ewyk::strategy.produce_consume);
}

// Tasks wait in the pool's queue there.
BOOST_AUTO_TEST_CASE(of_a_context_that_gives_tasks_to_its_pool)
{
    works(ewyk::strategy.produce_execute_consume);
}

BOOST_AUTO_TEST_CASE(of_a_pool)
{
    ewyk::worker_pool pool({.max_threads = 1});
    BOOST_TEST(pool.load().threads_left == 1u);
    is_told_while_tasks_wait(pool);
}

BOOST_AUTO_TEST_CASE(of_a_loop)
{
    ewyk::event_loop loop;
    loop.start();
    is_told_while_tasks_wait(loop);
}

BOOST_AUTO_TEST_CASE(threads_are_left_that_are_parked_or_could_come)
{
    event release;
    event begun;
    ewyk::worker_pool pool({.max_threads = 3});
    BOOST_TEST(pool.load().threads_left == 3u);
    pool.execute([&] {
        begun.set();
        release.wait();
    });
    BOOST_TEST_REQUIRE(begun.wait());
    BOOST_TEST(pool.load().threads_left == 2u);
    release.set();
    BOOST_TEST(eventually([&] { return pool.load().threads_left == 3u; }));
}

// The longest delay, and the sum of what waits.
BOOST_AUTO_TEST_CASE(of_a_group)
{
    event release;
    gathering inside;
    ewyk::event_loop_group group(2);
    for (auto& loop : group)
        asio::post(loop, [&] {
            inside.arrive();
            release.wait();
        });
    BOOST_TEST_REQUIRE(inside.wait_for(2));
    asio::post(group[1], [] {});
    asio::post(group[1], [] {});
    asio::post(group[0], [] {});
    BOOST_TEST(group.load().waiting == 3u);
    BOOST_TEST(eventually([&] { return group.load().delay >= 2ms; }));
    release.set();
    BOOST_TEST(eventually([&] { return group.load().waiting == 0u; }));

    // Its threads are about to begin.
    ewyk::strategy_context_group contexts(2);
    BOOST_TEST(eventually([&] { return contexts.load().waiting == 0u; }));
    BOOST_TEST(contexts.load().threads_left > 0u);
}

BOOST_AUTO_TEST_CASE(a_rule_pauses_at_one_limit_and_goes_on_at_another)
{
    ewyk::worker_pool pool({.max_threads = 1});
    // tag::hysteresis[]
    std::atomic<bool> paused{false}; // several threads may ask
    ewyk::serve_options options;
    options.overloaded = [&] {
        return paused = pool.load().delay > (paused ? 10ms : 50ms);
    };
    // end::hysteresis[]
    BOOST_TEST(!options.overloaded());
    event release;
    pool.execute([&] { release.wait(); });
    BOOST_TEST(eventually([&] { return pool.load().waiting == 0u; }));
    pool.execute([] {});
    BOOST_TEST(eventually([&] { return options.overloaded(); }));
    release.set();
    BOOST_TEST(eventually([&] { return !options.overloaded(); }));
}

BOOST_AUTO_TEST_CASE(a_request_stays_in_the_kernel_meanwhile)
{
    ewyk::strategy_context context;
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    tcp::socket client(context);
    client.connect(acceptor.local_endpoint());
    std::atomic<int> asked{0};
    std::atomic<bool> overloaded{true};
    auto const looks = [&] {
        ++asked;
        return overloaded.load();
    };
    // It ends at the end of the file, with an exception.
    asio::co_spawn(
        context, [&] { return session(acceptor.accept(), looks); }, [](std::exception_ptr) {});
    auto work = asio::make_work_guard(context);
    std::thread caller([&] { context.run(); });
    asio::write(client, asio::buffer("?", 1));
    BOOST_TEST(eventually([&] { return asked > 1; }));
    BOOST_TEST(client.available() == 0u);
    overloaded = false;
    char answer = 0;
    asio::read(client, asio::buffer(&answer, 1));
    BOOST_TEST(answer == '?');
    client.close();
    work.reset();
    caller.join();
}

BOOST_AUTO_TEST_CASE(many_threads_may_ask)
{
    std::atomic<std::size_t> ran{0};
    std::atomic<std::size_t> wrong{0};
    ewyk::worker_pool pool({.max_threads = 2});
    std::vector<std::thread> all;
    for (int t = 0; t != 4; ++t)
        all.emplace_back([&] {
            for (int i = 0; i != 1'000; ++i)
            {
                pool.execute([&] { ++ran; });
                auto const load = pool.load();
                wrong += load.delay < 0ns || load.average_delay < 0ns || load.waiting > 4'000;
            }
        });
    for (std::thread& t : all)
        t.join();
    BOOST_TEST(wrong == 0u);
    BOOST_TEST(eventually([&] { return ran == 4'000u; }));
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
