// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What a load_shedder does where something fails, is cancelled or ends.

#include <asio_ewyk/overload/load_shedder.hpp>

#include "../pool_support.hpp"

#include <asio_ewyk/strategy_context.hpp>
#include <asio_ewyk/worker_pool.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes the operators of a coroutine's frame for a mismatch, depending on what it inlines.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

BOOST_AUTO_TEST_SUITE(load_shedder_faults)

namespace {

using namespace support;
using asio::awaitable;
using asio::use_awaitable;
using boost::system::error_code;
using time_point = ewyk::load_shedder::time_point;

} // namespace

BOOST_AUTO_TEST_CASE(a_handler_that_is_refused_may_throw)
{
    ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
    ewyk::load_shedder shedder;
    int told = 0;
    auto tell = asio::bind_executor(ctx, [&](error_code e) {
        BOOST_TEST(e == asio::error::timed_out);
        ++told;
        throw std::runtime_error("as planned");
    });
    for (int i = 0; i != 3; ++i)
        shedder.async_admit(time_point::min(), tell);
    for (int i = 1; i != 4; ++i)
    {
        BOOST_CHECK_THROW(ctx.run(), std::runtime_error);
        BOOST_TEST(told == i);
    }
    BOOST_TEST(ctx.run() == 0u);
    BOOST_TEST(shedder.metrics().late == 3u);
}

// Such as one that tries again.
BOOST_AUTO_TEST_CASE(what_is_refused_may_submit_again)
{
    ewyk::strategy_context ctx;
    ewyk::load_shedder shedder;
    auto const strand = asio::make_strand(ctx.get_executor());
    bool ran = false;
    shedder.async_admit(time_point::min(), asio::bind_executor(strand, [&](error_code e) {
        BOOST_TEST(e == asio::error::timed_out);
        shedder.async_admit(asio::bind_executor(strand, [&](error_code again) { ran = !again; }));
    }));
    ctx.run();
    BOOST_TEST(ran);
    BOOST_TEST(shedder.metrics().late == 1u);
}

BOOST_AUTO_TEST_CASE(deadlines_at_both_ends_of_time)
{
    ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
    ewyk::load_shedder shedder;
    std::vector<error_code> told;
    auto tell = asio::bind_executor(ctx, [&](error_code e) { told.push_back(e); });
    shedder.async_admit(time_point::min(), tell);
    shedder.async_admit(time_point(), tell);
    shedder.async_admit(time_point::max(), tell);
    ctx.run();
    BOOST_TEST_REQUIRE(told.size() == 3u);
    BOOST_TEST(told[0] == asio::error::timed_out);
    BOOST_TEST(told[1] == asio::error::timed_out);
    BOOST_TEST(!told[2]);
}

BOOST_AUTO_TEST_CASE(the_longest_delays_are_never_exceeded)
{
    for (auto const interval : {0ns, std::chrono::nanoseconds::max()})
    {
        ewyk::strategy_context ctx;
        ewyk::load_shedder shedder(
            {.max_queue_delay = std::chrono::nanoseconds::max(), .interval = interval});
        shedder.observe(ctx);
        std::atomic<int> ran{0};
        for (int i = 0; i != 10; ++i)
            shedder.async_admit(asio::bind_executor(ctx, [&](error_code e) { ran += !e; }));
        ctx.run();
        BOOST_TEST(ran == 10);
        BOOST_TEST(!shedder.overloaded());
    }
    // Nor does the longest interval pass.
    ewyk::strategy_context ctx;
    ewyk::load_shedder shedder(
        {.max_queue_delay = 1ns, .interval = std::chrono::nanoseconds::max()});
    shedder.observe(ctx);
    std::atomic<int> ran{0};
    for (int i = 0; i != 10; ++i)
        shedder.async_admit(asio::bind_executor(ctx, [&](error_code e) { ran += !e; }));
    ctx.run();
    BOOST_TEST(ran == 10);
    BOOST_TEST(!shedder.overloaded());
}

BOOST_AUTO_TEST_CASE(what_an_executor_throws_passes)
{
    ewyk::load_shedder shedder;
    int ran = 0;
    auto const f = [&](error_code e) { ran += !e; };
    event begun;
    event release;
    ewyk::worker_pool pool(
        {.max_threads = 1, .max_queue = 1, .when_full = ewyk::queue_full::reject});
    pool.execute([&] {
        begun.set();
        release.wait();
    });
    BOOST_TEST_REQUIRE(begun.wait());
    shedder.async_admit(asio::bind_executor(pool, f));
    BOOST_CHECK_THROW(
        shedder.async_admit(asio::bind_executor(pool, f)), ewyk::queue_full_error);
    release.set();
    pool.wait();
    BOOST_TEST(ran == 1);
}

// The wait itself goes on, and its end is told once.
BOOST_AUTO_TEST_CASE(a_coroutine_that_waits_is_cancelled)
{
    ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
    ewyk::load_shedder shedder;
    asio::cancellation_signal cancel;
    int ended = 0;
    bool went_on = false;
    asio::co_spawn(
        ctx,
        [&]() -> awaitable<void> {
            error_code refused;
            co_await shedder.async_admit(asio::redirect_error(use_awaitable, refused));
            went_on = true;
        },
        asio::bind_cancellation_slot(cancel.slot(), [&](std::exception_ptr) { ++ended; }));
    ctx.run_one(); // until it waits
    cancel.emit(asio::cancellation_type::terminal);
    ctx.run();
    BOOST_TEST(ended == 1);
    BOOST_TEST(went_on);
}

BOOST_AUTO_TEST_CASE(a_coroutine_waits_for_this_or_a_timer)
{
    using namespace asio::experimental::awaitable_operators;
    ewyk::strategy_context ctx;
    ewyk::load_shedder shedder;
    std::optional<std::size_t> first;
    asio::co_spawn(
        ctx,
        [&]() -> awaitable<void> {
            asio::steady_timer timer(ctx, 24h);
            auto const done
                = co_await (shedder.async_admit(use_awaitable) || timer.async_wait(use_awaitable));
            first = done.index();
        },
        [](std::exception_ptr e) { BOOST_TEST(!e); });
    ctx.run();
    BOOST_TEST((first == 0u));
}

BOOST_AUTO_TEST_CASE(a_context_ends_while_coroutines_and_functions_wait)
{
    ewyk::load_shedder shedder;
    auto const alive = std::make_shared<int>();
    {
        ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
        for (int i = 0; i != 2; ++i)
        {
            asio::co_spawn(
                ctx,
                [&, alive]() -> awaitable<void> {
                    co_await shedder.async_admit(time_point::min(), use_awaitable);
                },
                asio::detached);
            shedder.async_admit(asio::bind_executor(ctx, [alive](error_code) {}));
        }
        asio::post(ctx, [&] { ctx.stop(); });
        ctx.run();
        BOOST_TEST(alive.use_count() > 1);
    }
    BOOST_TEST(alive.use_count() == 1);
}

// It was stopped for long, and what has waited meanwhile is as late as in any overload.
BOOST_AUTO_TEST_CASE(a_context_is_stopped_and_goes_on)
{
    ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
    ewyk::load_shedder shedder({.max_queue_delay = 1h});
    shedder.observe(ctx);
    int ran = 0;
    for (int round = 0; round != 3; ++round)
    {
        for (int i = 0; i != 2; ++i)
            shedder.async_admit(asio::bind_executor(ctx, [&](error_code e) {
                ran += !e;
                ctx.stop();
            }));
        ctx.run();
        ctx.restart();
        ctx.run();
        ctx.restart();
    }
    ctx.run();
    BOOST_TEST(ran == 6);
    BOOST_TEST(!shedder.overloaded());
}

// That is no good idea, but nothing is lost.
BOOST_AUTO_TEST_CASE(two_contexts_share_one)
{
    constexpr int many = 2000;
    ewyk::load_shedder shedder({.max_queue_delay = 1us, .interval = 0ns});
    std::atomic<int> ran{0};
    auto const alive = std::make_shared<int>();
    {
        ewyk::strategy_context a;
        asio::io_context b;
        shedder.observe(a);
        auto const submit = [&](auto& ctx) {
            for (int i = 0; i != many; ++i)
                shedder.async_admit(
                    asio::bind_executor(ctx, [&ran, alive](error_code e) { ran += !e; }));
        };
        std::thread one([&] {
            submit(a);
            b.run();
        });
        submit(b);
        a.run();
        one.join();
        // What came when they had nothing else to do.
        a.restart();
        a.run();
        b.restart();
        b.run();
    }
    BOOST_TEST(alive.use_count() == 1);
    BOOST_TEST(ran + shedder.metrics().refused == 2u * many);
}

BOOST_AUTO_TEST_SUITE_END()
