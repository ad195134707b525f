// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Callers of run() and its siblings that meet each other, and those that know the context as an
// io_context only. After stop() handlers may still run in the pool, until the context is destroyed;
// so what they use is declared before it.

#include "pool_support.hpp"

#include <memory>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(strategy_context_callers)

namespace {

using namespace support;

constexpr auto pec = ewyk::strategy.produce_execute_consume;

std::thread::id self() { return std::this_thread::get_id(); }

asio::io_context& base(ewyk::strategy_context& ctx) { return ctx; }

} // namespace

// Stepping

// Neither handlers of the io_context's own executor, which run in place, nor the polls in between.
CONTEXT_TEST_CASE(run_one_runs_one, s)
{
    context ctx(s);
    std::atomic<int> ran{0};
    for (int i = 0; i < 300; ++i)
        asio::post(ctx, [&] { ++ran; });
    for (int i = 0; i < 100; ++i)
        asio::post(base(ctx).get_executor(), [&] { ++ran; });
    std::size_t calls = 0;
    for (;; ++calls)
    {
        std::size_t const n = ctx.run_one();
        if (n == 0)
            break;
        BOOST_TEST_REQUIRE(n == 1u);
    }
    BOOST_TEST(calls == 400u);
    BOOST_TEST(ran == 400);
}

// The one that was to produce next takes one handler and leaves; all others are busy.
BOOST_AUTO_TEST_CASE(a_caller_who_steps_leaves_production_to_the_pool)
{
    constexpr std::size_t threads = 8;
    for (int round = 0; round < 20; ++round)
    {
        event release;
        ewyk::strategy_context ctx({.max_threads = threads});
        auto const work = asio::make_work_guard(ctx);
        deadline const d(ctx);
        BOOST_TEST_REQUIRE(warm_up(ctx.pool(), threads));
        std::thread runner([&] { ctx.run(); });
        // The caller of run() blocks, and some threads of the pool, in any order.
        std::atomic<bool> runner_blocks{false};
        for (std::size_t n = 0; !runner_blocks && n != threads / 2; ++n)
        {
            event running;
            asio::post(ctx, [&] {
                runner_blocks = runner_blocks || self() == runner.get_id();
                running.set();
                release.wait();
            });
            BOOST_TEST_REQUIRE(running.wait());
        }
        std::thread stepper([&] { ctx.run_one(); });
        for (int i = 0; i < 4; ++i)
        {
            event ran;
            asio::post(ctx, [&] { ran.set(); });
            BOOST_TEST_REQUIRE(ran.wait());
        }
        release.set();
        ctx.stop();
        stepper.join();
        runner.join();
    }
}

// A thread of the pool may still be on its way out of the last run(), or back from a handler: what
// steps next gets production all the same, and no handler runs elsewhere.
CONTEXT_TEST_CASE(a_caller_may_step_after_run, s)
{
    context ctx(s);
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 3));
    for (int i = 0; i < 300; ++i)
    {
        for (int n = i % 3; n >= 0; --n)
            asio::post(ctx, [&, n] {
                if (n == 0 && i % 5 == 0)
                    ctx.stop();
            });
        ctx.run();
        ctx.restart();
        while (ctx.run() != 0)
            ;
        ctx.restart();

        bool ran = false;
        auto const here = asio::prefer(ctx.get_executor(), ewyk::strategy.produce_consume);
        asio::post(here, [&] { ran = true; });
        BOOST_TEST_REQUIRE((i % 2 == 0 ? ctx.poll() : ctx.run_one()) == 1u);
        BOOST_TEST_REQUIRE(ran);
        ctx.restart();
    }
}

// The caller inside run_for() leaves while another one holds a handler in run_one(): that does not
// call in the pool.
BOOST_AUTO_TEST_CASE(the_pool_does_not_produce_for_one_who_steps)
{
    event holding;
    event release;
    event ran;
    std::thread::id by;
    ewyk::strategy_context ctx({.max_threads = 4});
    auto const work = asio::make_work_guard(ctx);
    deadline const d(ctx);
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
    std::atomic<bool> leave{false};
    std::thread runner([&] {
        while (!leave)
            ctx.run_for(1ms);
    });
    std::thread stepper([&] {
        bool held = false;
        std::function<void()> hold = [&, me = self()] {
            if (self() != me)
                return asio::post(ctx, hold);
            held = true;
            holding.set();
            release.wait();
        };
        asio::post(ctx, hold);
        while (!held)
            ctx.run_one();
        ctx.run_one();
    });
    BOOST_TEST(holding.wait());
    leave = true;
    runner.join();
    asio::post(ctx, [&] {
        by = self();
        ran.set();
    });
    // What must not happen has that long to happen.
    std::this_thread::sleep_for(20ms);
    auto const me = stepper.get_id();
    release.set();
    BOOST_TEST(ran.wait());
    BOOST_TEST((by == me));
    stepper.join();
}

// Threads that cannot come

// A request for a producer waits in the queue of a pool that is busy. When it is no more, a handler
// that blocks does not hold up the others.
BOOST_AUTO_TEST_CASE(a_busy_pool_that_was_asked_to_produce_comes_when_it_can)
{
    event release;
    event running;
    event blocked;
    event ran;
    std::atomic<bool> second_left{false};
    ewyk::worker_pool pool({.max_threads = 1});
    blockade the_thread(pool, 1);
    BOOST_TEST_REQUIRE(the_thread.holds());
    std::function<void()> hold;
    ewyk::strategy_context ctx(pool);
    auto const work = asio::make_work_guard(ctx);
    deadline const d(ctx);
    std::thread first([&] { ctx.run(); });
    std::thread second([&] {
        while (!second_left)
            ctx.run_for(1ms);
    });
    hold = [&] {
        if (self() != first.get_id())
            return asio::post(ctx, hold);
        running.set();
        release.wait();
    };
    asio::post(ctx, hold);
    BOOST_TEST(running.wait());
    // The producer leaves, and asks the pool.
    second_left = true;
    second.join();
    release.set();

    asio::post(ctx, [&] { blocked.wait(); });
    asio::post(asio::require(ctx.get_executor(), ewyk::invocation.non_blocking), [&] { ran.set(); });
    the_thread.release();
    BOOST_TEST(ran.wait());
    blocked.set();
    ctx.stop();
    first.join();
}

// The request is called off with the last run(), and none is asleep: run() of the base class finds
// what was posted.
BOOST_AUTO_TEST_CASE(what_is_posted_before_an_exception_is_found_by_the_base_class)
{
    std::atomic<int> ran{0};
    ewyk::worker_pool pool({.max_threads = 1});
    blockade the_thread(pool, 1);
    BOOST_TEST_REQUIRE(the_thread.holds());
    ewyk::strategy_context ctx(pool, ewyk::strategy.execute_produce_consume);
    asio::steady_timer timer(ctx, 1ms);
    timer.async_wait([&](auto) {
        for (int i = 0; i < 3; ++i)
            asio::post(ctx, [&] { ++ran; });
        throw std::runtime_error("as planned");
    });
    BOOST_CHECK_THROW(ctx.run(), std::runtime_error);
    deadline const d(ctx);
    base(ctx).run();
    BOOST_TEST(ran == 3);
    the_thread.release();
}

// Counting

// What a run() that throws has given away comes back, and counts in the next one.
BOOST_AUTO_TEST_CASE(run_counts_what_comes_back_after_an_exception)
{
    std::atomic<int> ran{0};
    ewyk::worker_pool pool({.max_threads = 1});
    blockade the_thread(pool, 1);
    BOOST_TEST_REQUIRE(the_thread.holds());
    ewyk::strategy_context ctx(pool, pec);
    for (int i = 0; i < 3; ++i)
        asio::post(ctx, [&] { ++ran; });
    asio::post(asio::require(ctx.get_executor(), ewyk::strategy.produce_consume),
        [] { throw std::runtime_error("as planned"); });
    BOOST_CHECK_THROW(ctx.run(), std::runtime_error);
    int const before = ran;
    deadline const d(ctx);
    the_thread.release();
    BOOST_TEST(static_cast<int>(ctx.run()) == 3 - before);
    BOOST_TEST(ran == 3);
}

// By reference to the base class

// Although there is always something to run.
CONTEXT_TEST_CASE(hears_stop_of_the_base_class, s)
{
    std::atomic<std::size_t> ran{0};
    std::function<void()> again; // longer than the context, whose pool may still run it after stop()
    context ctx(s);
    again = [&] {
        ++ran;
        asio::post(ctx, again);
    };
    asio::post(ctx, again);
    deadline const d(ctx);
    std::vector<std::thread> callers;
    for (std::size_t i = 0; i < s.callers; ++i)
        callers.emplace_back([&] { ctx.run(); });
    BOOST_TEST(eventually([&] { return ran > 100; }));
    base(ctx).stop();
    for (auto& t : callers)
        t.join();
    BOOST_TEST(ctx.stopped());
}

// Nor does a handler that posts itself keep the io_context from its timers.
CONTEXT_TEST_CASE(run_of_the_base_class_leaves_completions_their_turn, s)
{
    context ctx(s);
    std::atomic<bool> fired{false};
    asio::steady_timer timer(ctx, 1ms);
    timer.async_wait([&](auto) { fired = true; });
    std::function<void()> again = [&] {
        if (!fired)
            asio::post(ctx, again);
    };
    asio::post(ctx, again);
    deadline const d(ctx);
    base(ctx).run();
    BOOST_TEST(fired);
}

// One thread waits as the producer, another one in the run() of the base class: the one that takes
// the wake-up, what was posted runs.
CONTEXT_TEST_CASE(nothing_is_lost_beside_run_of_the_base_class, s)
{
    context ctx(s);
    auto const work = asio::make_work_guard(ctx);
    deadline const d(ctx);
    std::thread ours([&] { ctx.run(); });
    std::thread other([&] { base(ctx).run(); });
    for (int i = 0; i < 200; ++i)
    {
        event ran;
        asio::post(ctx, [&] { ran.set(); });
        BOOST_TEST_REQUIRE(ran.wait());
    }
    ctx.stop();
    ours.join();
    other.join();
}

// As many handlers run at once, whoever parks first.
BOOST_AUTO_TEST_CASE(any_number_of_callers_run_as_many_handlers_at_once)
{
    constexpr std::size_t many = 300;
    for (auto const s : {ewyk::strategy_t::execute_produce_consume,
             ewyk::strategy_t::eat_what_you_kill, ewyk::strategy_t::produce_execute_consume})
    {
        gathering together;
        std::atomic<std::size_t> met{0};
        ewyk::strategy_context ctx({.strategy = s, .max_threads = 1});
        deadline const d(ctx);
        auto work = asio::make_work_guard(ctx);
        std::vector<std::thread> callers;
        for (std::size_t i = 0; i != many; ++i)
            callers.emplace_back([&] { ctx.run(); });
        BOOST_TEST(eventually([&] { return ctx.metrics().callers == many; }));
        for (std::size_t i = 0; i != many; ++i)
            asio::post(ctx, [&] { met += together.arrive_and_wait_for(many); });
        BOOST_TEST(together.wait_for(many), s);
        work.reset();
        for (auto& c : callers)
            c.join();
        BOOST_TEST(met == many);
    }
}

// At their deadline, and at a stop.
BOOST_AUTO_TEST_CASE(any_number_of_callers_leave)
{
    constexpr std::size_t many = 300;
    for (bool const stops : {false, true})
    {
        ewyk::strategy_context ctx({.max_threads = 1});
        deadline const d(ctx);
        auto const work = asio::make_work_guard(ctx);
        std::vector<std::thread> callers;
        for (std::size_t i = 0; i != many; ++i)
            callers.emplace_back([&] {
                if (stops)
                    ctx.run();
                else
                    ctx.run_for(200ms);
            });
        if (stops)
        {
            BOOST_TEST(eventually([&] { return ctx.metrics().callers == many; }));
            ctx.stop();
        }
        for (auto& c : callers)
            c.join();
    }
}

BOOST_AUTO_TEST_SUITE_END()
