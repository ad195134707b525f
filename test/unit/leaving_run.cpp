// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Calls of run() and its siblings that end, by an exception or at their deadline, while handlers
// still block: they wait for these, and those may wait for others.

#include "pool_support.hpp"

#include <future>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(leaving_run)

namespace {

using namespace support;

constexpr ewyk::strategy_t concurrent[] = {ewyk::strategy_t::produce_execute_consume,
    ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill};

/// Has `done` come true by calls of run_for() that are short.
template <class Done>
void run_in_steps(ewyk::strategy_context& ctx, std::chrono::milliseconds step, Done done)
{
    auto const enough = std::chrono::steady_clock::now() + patience;
    while (!done() && std::chrono::steady_clock::now() < enough)
        ctx.run_for(step);
    BOOST_TEST(done());
}

/// Runs until all is done, as the documents tell.
void run_and_catch(ewyk::strategy_context& ctx, int& caught)
{
    for (;;)
        try
        {
            ctx.run();
            break;
        }
        catch (std::runtime_error const&)
        {
            ++caught;
        }
}

} // namespace

BOOST_DATA_TEST_CASE(an_exception_beside_a_handler_that_waits_for_a_timer, concurrent, s)
{
    event fired;
    bool waited = false;
    int caught = 0;
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 8});
    asio::steady_timer timer(ctx, 50ms);
    timer.async_wait([&](auto) { fired.set(); });
    asio::post(ctx, [] {
        std::this_thread::sleep_for(10ms);
        throw std::runtime_error("as planned");
    });
    asio::post(ctx, [&] { waited = fired.wait(); });
    run_and_catch(ctx, caught);
    BOOST_TEST(waited);
    BOOST_TEST(caught == 1);
}

BOOST_DATA_TEST_CASE(a_deadline_beside_a_handler_that_waits_for_a_timer, concurrent, s)
{
    event fired;
    std::atomic<bool> done{false};
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 8});
    auto const work = asio::make_work_guard(ctx);
    asio::steady_timer timer(ctx, 50ms);
    timer.async_wait([&](auto) { fired.set(); });
    asio::post(ctx, [&] { done = fired.wait(); });
    run_in_steps(ctx, 10ms, [&] { return done.load(); });
}

// Each waits for the one that the next has posted: production goes on until the last.
BOOST_DATA_TEST_CASE(handlers_that_wait_for_each_other, concurrent, s)
{
    constexpr std::size_t handlers = 5;
    std::array<event, handlers + 1> passed;
    std::atomic<std::size_t> waited{0};
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 2 * handlers});
    std::vector<std::unique_ptr<asio::steady_timer>> timers;
    for (std::size_t i = 0; i != handlers; ++i)
    {
        timers.push_back(std::make_unique<asio::steady_timer>(ctx, (i + 1) * 5ms));
        timers.back()->async_wait([&, i](auto) {
            waited += passed[i + 1].wait();
            passed[i].set();
        });
    }
    asio::steady_timer last(ctx, (handlers + 2) * 5ms);
    last.async_wait([&](auto) { passed[handlers].set(); });
    run_in_steps(ctx, 1ms, [&] { return waited == handlers; });
}

// What is thrown meanwhile leaves the calls that follow, and each exception leaves one.
BOOST_DATA_TEST_CASE(exceptions_on_the_way_out, concurrent, s)
{
    event fired;
    bool waited = false;
    int caught = 0;
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 8});
    asio::steady_timer timer(ctx, 50ms);
    timer.async_wait([&](auto) { fired.set(); });
    asio::post(ctx, [&] { waited = fired.wait(); });
    constexpr int throwing = 5;
    std::vector<std::unique_ptr<asio::steady_timer>> timers;
    for (int i = 0; i != throwing; ++i)
    {
        timers.push_back(std::make_unique<asio::steady_timer>(ctx, i * 5ms));
        timers.back()->async_wait([](auto) { throw std::runtime_error("as planned"); });
    }
    run_and_catch(ctx, caught);
    BOOST_TEST(waited);
    BOOST_TEST(caught == throwing);
}

// Nothing runs when the call has returned.
BOOST_DATA_TEST_CASE(no_handler_is_left, concurrent, s)
{
    std::atomic<int> inside{0};
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 8});
    std::function<void()> const handler = [&] {
        ++inside;
        std::this_thread::sleep_for(3ms);
        --inside;
        asio::post(ctx, handler);
    };
    for (int i = 0; i != 4; ++i)
        asio::post(ctx, handler);
    for (int i = 0; i != 10; ++i)
    {
        ctx.run_for(5ms);
        BOOST_TEST(inside == 0);
    }
}

BOOST_AUTO_TEST_SUITE_END()
