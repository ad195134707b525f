// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What Boost.Asio's own tests expect of an io_context's running: stop, restart, limits of time,
// exceptions.

#include "support.hpp"

#include <future>
#include <memory>
#include <stdexcept>
#include <string>

using namespace support;
using boost::system::error_code;
using std::chrono::steady_clock;

namespace {

/// The message of what the function throws, "" if it returns.
template <class F>
std::string thrown_by(F&& f)
{
    try
    {
        f();
    }
    catch (std::exception const& e)
    {
        return e.what();
    }
    return {};
}

}

BOOST_AUTO_TEST_SUITE(asio_suite_run)

CONTEXT_TEST_CASE(stop_before_run, s)
{
    context ctx(s);
    std::atomic<int> ran{0};
    asio::post(ctx, [&] { ++ran; });
    ctx.stop();
    BOOST_TEST(ctx.stopped());
    BOOST_TEST(ctx.run() == 0u);
    BOOST_TEST(ctx.run_one() == 0u);
    BOOST_TEST(ctx.run_for(patience) == 0u);
    BOOST_TEST(ctx.run_one_for(patience) == 0u);
    BOOST_TEST(ctx.poll() == 0u);
    BOOST_TEST(ctx.poll_one() == 0u);
    BOOST_TEST(ran == 0);
    ctx.restart();
    BOOST_TEST(!ctx.stopped());
    run(ctx);
    BOOST_TEST(ran == 1);
}

CONTEXT_TEST_CASE(stop_in_a_handler_leaves_the_rest, s)
{
    constexpr int count = 100;
    context ctx(s);
    std::atomic<int> ran{0};
    for (int i = 0; i < count; ++i)
        asio::post(ctx, [&, i] {
            ++ran;
            if (i == 9)
                ctx.stop();
        });
    run(ctx);
    BOOST_TEST(ctx.stopped());
    BOOST_TEST(ran >= 1);
    if (s.serial)
        BOOST_TEST(ran == 10);
    ctx.restart();
    run(ctx);
    BOOST_TEST(ran == count);
}

CONTEXT_TEST_CASE(stop_from_outside_ends_a_wait, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 1h);
    census c;
    timer.async_wait(resident(c));
    auto ready = asio::post(ctx, asio::use_future([] {}));
    std::thread outside([&] {
        bool const in_time = ready.wait_for(patience) == std::future_status::ready;
        LOCKED_TEST(in_time);
        ctx.stop();
    });
    run(ctx);
    outside.join();
    BOOST_TEST(ctx.stopped());
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.destroyed == 0); // it still waits

    ctx.restart();
    asio::post(ctx, [&] { timer.cancel(); });
    run(ctx);
    BOOST_TEST(c.ran == 1);
}

CONTEXT_TEST_CASE(runs_again_and_again, s)
{
    context ctx(s);
    std::atomic<int> ran{0};
    for (int round = 1; round <= 50; ++round)
    {
        for (int i = 0; i < 10; ++i)
            asio::post(ctx, [&] { ++ran; });
        run(ctx);
        BOOST_TEST(ran == 10 * round);
        BOOST_TEST(ctx.stopped());
        ctx.restart();
    }
}

CONTEXT_TEST_CASE(restart_of_what_has_not_stopped, s)
{
    context ctx(s);
    ctx.restart();
    std::atomic<int> ran{0};
    asio::post(ctx, [&] { ++ran; });
    ctx.restart();
    run(ctx);
    BOOST_TEST(ran == 1);
}

// With work outstanding only the clock ends these, and not before its time.
CONTEXT_TEST_CASE(run_for_runs_until_its_time_is_up, s)
{
    context ctx(s);
    auto const work = asio::make_work_guard(ctx);
    std::atomic<int> ran{0};
    asio::post(ctx, [&] { ++ran; });
    auto const start = steady_clock::now();
    ctx.run_for(20ms);
    BOOST_TEST((steady_clock::now() - start >= 20ms));
    BOOST_TEST(!ctx.stopped());
    ctx.run_until(steady_clock::now() + 5ms);
    BOOST_TEST(!ctx.stopped());
    // By another thread, perhaps, which is not sure to get a core in any given time.
    BOOST_TEST(eventually([&] {
        ctx.run_for(1ms);
        return ran == 1;
    }));
}

CONTEXT_TEST_CASE(run_for_ends_with_the_work, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 5ms);
    std::atomic<bool> expired{false};
    timer.async_wait([&](error_code ec) { expired = !ec; });
    ctx.run_for(patience);
    BOOST_TEST(ctx.stopped());
    BOOST_TEST(expired);
}

CONTEXT_TEST_CASE(run_one_for_takes_one_or_gives_up, s)
{
    context ctx(s);
    auto const work = asio::make_work_guard(ctx);
    std::atomic<int> ran{0};
    auto const start = steady_clock::now();
    BOOST_TEST(ctx.run_one_for(20ms) == 0u);
    BOOST_TEST((steady_clock::now() - start >= 20ms));
    BOOST_TEST(!ctx.stopped());
    asio::post(ctx, [&] { ++ran; });
    asio::post(ctx, [&] { ++ran; });
    BOOST_TEST(ctx.run_one_for(patience) == 1u);
    if (s.steps_in_place)
        BOOST_TEST(ran == 1);
    BOOST_TEST(ctx.run_one_until(steady_clock::now() + patience) == 1u);
    BOOST_TEST(eventually([&] { return ran == 2; }));
    BOOST_TEST(ctx.run_one_until(steady_clock::now() + 1ms) == 0u);
}

CONTEXT_TEST_CASE(a_time_that_is_over_runs_nothing, s)
{
    context ctx(s);
    std::atomic<int> ran{0};
    asio::post(ctx, [&] { ++ran; });
    BOOST_TEST(ctx.run_until(steady_clock::now() - 1s) == 0u);
    BOOST_TEST(ctx.run_one_until(steady_clock::now() - 1s) == 0u);
    BOOST_TEST(ctx.run_for(-1s) == 0u);
    BOOST_TEST(ran == 0);
    run(ctx);
    BOOST_TEST(ran == 1);
}

// The exception leaves, the rest of the queue stays, and no restart is needed.
CONTEXT_TEST_CASE(an_exception_leaves_run, s)
{
    if (!s.serial)
        return; // elsewhere the handler may run on a thread that is not the caller's
    context ctx(s);
    std::atomic<int> ran{0};
    asio::post(ctx, [&] { ++ran; });
    asio::post(ctx, [] { throw std::runtime_error("first"); });
    asio::post(ctx, [&] { ++ran; });
    asio::steady_timer timer(ctx, 1ms);
    timer.async_wait([](error_code) { throw std::runtime_error("second"); });
    asio::post(asio::make_strand(ctx), [&] { ++ran; });
    BOOST_TEST(thrown_by([&] { ctx.run(); }) == "first");
    BOOST_TEST(!ctx.stopped());
    BOOST_TEST(ran == 1);
    BOOST_TEST(thrown_by([&] { ctx.run(); }) == "second");
    BOOST_TEST(ran == 3);
    BOOST_TEST(ctx.run() == 0u);
    BOOST_TEST(ctx.stopped());
}

CONTEXT_TEST_CASE(an_exception_leaves_a_step, s)
{
    if (!s.steps_in_place)
        return;
    context ctx(s);
    int ran = 0;
    auto const fail = [](char const* what) { throw std::runtime_error(what); };
    for (char const* what : {"a", "b", "c", "d"})
        asio::post(ctx, [&, what] {
            ++ran;
            fail(what);
        });
    asio::post(ctx, [&] { ++ran; });
    BOOST_TEST(thrown_by([&] { ctx.run_one(); }) == "a");
    BOOST_TEST(thrown_by([&] { ctx.poll(); }) == "b");
    BOOST_TEST(thrown_by([&] { ctx.poll_one(); }) == "c");
    BOOST_TEST(thrown_by([&] { ctx.run_one_for(patience); }) == "d");
    BOOST_TEST(ran == 4);
    BOOST_TEST(ctx.poll() == 1u);
    BOOST_TEST(ran == 5);
    BOOST_TEST(ctx.stopped());
}

// What a handler calls inline throws through that call, as Asio's executors let it reach run().
CONTEXT_TEST_CASE(an_exception_of_a_dispatched_function, s)
{
    if (!s.steps_in_place)
        return;
    context ctx(s);
    asio::post(ctx, [&] { asio::dispatch(ctx, [] { throw std::runtime_error("inside"); }); });
    BOOST_TEST(thrown_by([&] { ctx.run_one(); }) == "inside");
    BOOST_TEST(ctx.run_one() == 0u);
}

// They leave together when the handler is over, on whichever thread it runs.
CONTEXT_TEST_CASE(exceptions_of_several_dispatched_functions, s)
{
    for (int const many : {1, 2, 3})
    {
        context ctx(s);
        deadline const in_time(ctx);
        std::atomic<int> called{0};
        asio::post(ctx, [&] {
            for (int i = 0; i != many; ++i)
                asio::dispatch(ctx, [&] { throw std::runtime_error(std::to_string(called++)); });
        });
        bool several = false;
        BOOST_TEST(thrown_by([&] {
            try
            {
                ctx.run();
            }
            catch (asio::multiple_exceptions const& e)
            {
                several = true;
                std::rethrow_exception(e.first_exception());
            }
        }) == "0");
        BOOST_TEST(called == many);
        BOOST_TEST(several == (many != 1));
        BOOST_TEST(thrown_by([&] { ctx.run(); }) == "");
    }
}

// What a handler dispatches that runs in a call of another handler's leaves that call.
CONTEXT_TEST_CASE(an_exception_of_a_dispatched_function_leaves_an_inner_call, s)
{
    if (!s.steps_in_place)
        return;
    for (bool const native : {false, true})
    {
        context ctx(s);
        std::vector<std::string> inner;
        auto const outer = [&] {
            asio::dispatch(ctx, [] { throw std::runtime_error("outer"); });
            inner.push_back(thrown_by([&] { ctx.poll_one(); }));
            inner.push_back(thrown_by([&] { ctx.poll(); }));
            inner.push_back(thrown_by([&] { ctx.run_one_for(1s); }));
        };
        if (native)
            asio::post(static_cast<asio::io_context&>(ctx), outer);
        else
            asio::post(ctx, outer);
        for (char const* what : {"a", "b", "c"})
            asio::post(ctx,
                [&ctx, what] { asio::dispatch(ctx, [what] { throw std::runtime_error(what); }); });
        BOOST_TEST(thrown_by([&] { ctx.run_one(); }) == "outer");
        std::vector<std::string> const expected{"a", "b", "c"};
        BOOST_TEST(inner == expected, boost::test_tools::per_element());
        BOOST_TEST(ctx.poll() == 0u);
    }
}

#ifndef ASIO_EWYK_TEST_YARDSTICK

// On the pool's threads there is no caller to throw to.
CONTEXT_TEST_CASE(exceptions_arrive_somewhere, s)
{
    constexpr int count = 200;
    std::atomic<int> thrown_out{0};
    std::atomic<int> reported{0};
    std::atomic<int> ran{0};
    auto o = options(s);
    o.on_exception = [&](std::exception_ptr e) {
        if (e)
            ++reported;
    };
    ewyk::strategy_context ctx(s.strategy, o);
    deadline const in_time(ctx);
    for (int i = 0; i < count; ++i)
        asio::post(ctx, [&, i] {
            ++ran;
            if (i % 2 == 0)
                throw std::runtime_error("x");
        });
    while (!ctx.stopped())
    {
        try
        {
            ctx.run();
        }
        catch (std::runtime_error const&)
        {
            ++thrown_out;
        }
    }
    BOOST_TEST(ran == count);
    // run() waits for the handlers; the report of the last one's exception may come after it.
    BOOST_TEST(eventually([&] { return thrown_out + reported == count / 2; }));
    if (s.serial)
        BOOST_TEST(reported == 0);
    if (s.strategy == ewyk::strategy_t::produce_execute_consume)
        BOOST_TEST(thrown_out == 0);
}

#endif

BOOST_AUTO_TEST_SUITE_END()
