// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// run_one(), poll() and their siblings, where they are like an io_context's by the handler.

#include "pool_support.hpp"
#include <asio_ewyk/diagnostics/trace.hpp>

#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

BOOST_AUTO_TEST_SUITE(stepping)

namespace {

using namespace support;

asio::io_context::executor_type native(asio::io_context& ioc)
{
    return ioc.get_executor();
}

// How often a thread inside the io_context was woken while the function ran.
template <class F>
std::size_t wake_ups(F f)
{
    ewyk::trace::start({.events_per_thread = 1 << 18});
    f();
    ewyk::trace::stop();
    std::ostringstream out;
    ewyk::trace::write(out);
    std::string const text = out.str();
    constexpr std::string_view name = "\"name\": \"wake-up\"";
    std::size_t n = 0;
    for (auto at = text.find(name); at != text.npos; at = text.find(name, at + name.size()))
        ++n;
    return n;
}

} // namespace

// Nothing is left that would keep the context from its end.
CONTEXT_TEST_CASE(the_last_handler_stops_the_context, s)
{
    for (bool const one : {true, false})
        for (int many = 1; many != 4; ++many)
        {
            context ctx(s);
            for (int i = 0; i != many; ++i)
                asio::post(ctx, [] {});
            if (one)
                for (int i = 0; i != many; ++i)
                {
                    BOOST_TEST(!ctx.stopped());
                    BOOST_TEST(ctx.poll_one() == 1u);
                }
            else
                for (int i = 0; i != many; ++i)
                {
                    BOOST_TEST(!ctx.stopped());
                    BOOST_TEST(ctx.run_one() == 1u);
                }
            if (s.steps_in_place)
                BOOST_TEST(ctx.stopped());
            else // on a thread of the pool, perhaps
                BOOST_TEST(eventually([&] { return ctx.stopped(); }));
        }
}

// What a handler of Asio's dispatches is a part of it, what it posts is the next one.
CONTEXT_TEST_CASE(a_native_handler_counts_once, s)
{
    for (bool const dispatches : {true, false})
    {
        context ctx(s);
        std::atomic<int> ran{0};
        asio::post(native(ctx), [&] {
            for (int i = 0; i != 3; ++i)
                if (dispatches)
                    asio::dispatch(ctx, [&] { ++ran; });
                else
                    asio::post(ctx, [&] { ++ran; });
        });
        BOOST_TEST(ctx.run_one() == 1u);
        if (s.steps_in_place && !dispatches)
            BOOST_TEST(ran == 0);
        while (std::size_t const n = ctx.run_one())
            BOOST_TEST(n == 1u);
        BOOST_TEST(eventually([&] { return ran == 3; }));
    }
}

// What the end of one run has caused must not end the next one.
CONTEXT_TEST_CASE(no_stop_comes_after_restart, s)
{
    context ctx(s);
    for (int round = 0; round != 2000; ++round)
    {
        std::atomic<int> ran{0};
        asio::post(ctx, [&] { ++ran; });
        asio::post(ctx, [&] { ++ran; });
        while (ctx.run_one() != 0)
            ;
        BOOST_TEST_REQUIRE(ctx.stopped());
        BOOST_TEST_REQUIRE(ran == 2);
        ctx.restart();
        BOOST_TEST_REQUIRE(!ctx.stopped());
    }
}

// Likewise with others in run() and its siblings.
CONTEXT_TEST_CASE(no_stop_of_another_caller_comes_after_restart, s)
{
    context ctx(s);
    for (int round = 0; round != 300; ++round)
    {
        std::atomic<int> ran{0};
        std::function<void(int)> go = [&](int left) {
            ++ran;
            if (left != 0)
                asio::post(ctx, [&, left] { go(left - 1); });
        };
        asio::post(ctx, [&] { go(10); });
        asio::post(ctx, [&] { go(10); });
        std::thread other([&] {
            while (ctx.run_one() != 0)
                ;
        });
        ctx.run();
        other.join();
        BOOST_TEST_REQUIRE(ctx.stopped());
        BOOST_TEST_REQUIRE(ran == 22);
        ctx.restart();
        BOOST_TEST_REQUIRE(!ctx.stopped());
    }
}

// It is a thread of the pool, perhaps, that runs what this one waits for.
CONTEXT_TEST_CASE(a_late_handler_may_wait_in_run_one, s)
{
    if (s.serial)
        return; // it waits for another one
    for (int round = 0; round != 20; ++round)
    {
        event other;
        context ctx(s);
        deadline const d(ctx);
        std::atomic<bool> done{false};
        asio::post(ctx, [&] {
            asio::post(ctx, [&] { other.set(); });
            other.wait(); // so this one is late
            asio::post(ctx, [&] { done = true; });
            while (!done && !ctx.stopped())
                ctx.run_one();
        });
        run(ctx);
        BOOST_TEST(done);
    }
}

// One that was begun before is late, and ends while this one waits.
CONTEXT_TEST_CASE(a_late_handler_may_wait_in_run_one_for_another_late_one, s)
{
    if (s.serial)
        return;
    event first;
    event second;
    context ctx(s);
    deadline const d(ctx);
    std::atomic<bool> done{false};
    asio::post(ctx, [&] {
        first.wait();
        second.set();
        std::this_thread::sleep_for(5ms); // until the other one waits; at worst that is not tested
        done = true;
    });
    asio::post(ctx, [&] {
        first.set();
        second.wait();
        while (!done && !ctx.stopped())
            ctx.run_one();
    });
    run(ctx);
    BOOST_TEST(done);
}

CONTEXT_TEST_CASE(exceptions_are_reported_before_run_returns, s)
{
    std::atomic<int> caught{0};
    ewyk::strategy_options o = options(s);
    o.on_exception = [&](std::exception_ptr) { ++caught; };
    ewyk::strategy_context ctx(o);
    deadline const d(ctx);
    for (int round = 0; round != 300; ++round)
    {
        caught = 0;
        for (int i = 0; i != 2; ++i)
            asio::post(ctx, [] { throw std::runtime_error("as planned"); });
        run_and_count(ctx, caught);
        BOOST_TEST_REQUIRE(caught == 2);
        ctx.restart();
    }
}

// The first one is posted by a completion, each other one by the one before.
CONTEXT_TEST_CASE(own_posts_need_few_wake_ups, s)
{
    if (s.strategy == ewyk::strategy.produce_execute_consume)
        return; // they are of another thread
    constexpr int many = 10'000;
    context ctx(s);
    std::function<void(int)> go = [&](int left) {
        if (left != 0)
            asio::post(ctx, [&, left] { go(left - 1); });
    };
    asio::steady_timer timer(ctx, 0ms);
    timer.async_wait([&](auto) { go(many); });
    BOOST_TEST(wake_ups([&] { run(ctx); }) < many / 2);
}

BOOST_AUTO_TEST_SUITE_END()
