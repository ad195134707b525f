// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What a load_shedder does where something fails, is cancelled or ends.

#include <asio_ewyk/overload/load_shedder.hpp>

#include "pool_support.hpp"

#include <asio_ewyk/strategy_context.hpp>
#include <asio_ewyk/worker_pool.hpp>

#include <boost/asio/any_io_executor.hpp>
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

// Such as one that tells its client, or tries again.
BOOST_AUTO_TEST_CASE(what_is_refused_may_submit_from_its_destructor)
{
    ewyk::strategy_context ctx;
    ewyk::load_shedder shedder({.max_waiting = 1});
    auto const strand = asio::make_strand(ctx.get_executor());
    auto const ex = shedder.executor(strand);
    bool ran = false;
    std::shared_ptr<void> again(nullptr, [&](void*) { asio::post(ex, [&] { ran = true; }); });
    asio::post(asio::require(ex, ewyk::deadline(time_point::min())), [a = std::move(again)] {});
    ctx.run();
    BOOST_TEST(ran);
    auto const m = shedder.metrics();
    BOOST_TEST(m.late == 1u);
    BOOST_TEST(m.full == 0u);
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
            asio::post(shedder.executor(ctx), [&] { ++ran; });
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
        asio::post(shedder.executor(ctx), [&] { ++ran; });
    ctx.run();
    BOOST_TEST(ran == 10);
    BOOST_TEST(!shedder.overloaded());
}

// Each place that such a submission had is free again.
BOOST_AUTO_TEST_CASE(an_executor_that_refuses_keeps_no_place)
{
    ewyk::load_shedder shedder({.max_waiting = 1});
    for (int i = 0; i != 3; ++i)
    {
        asio::any_io_executor none;
        BOOST_CHECK_THROW(
            shedder.executor(none).execute([] {}), asio::execution::bad_executor);
    }
    ewyk::worker_pool pool(
        {.max_threads = 1, .max_queue = 1, .when_full = ewyk::queue_full::reject});
    event begun;
    event release;
    pool.execute([&] {
        begun.set();
        release.wait();
    });
    BOOST_TEST_REQUIRE(begun.wait());
    pool.execute([] {});
    for (int i = 0; i != 3; ++i)
        BOOST_CHECK_THROW(
            asio::post(shedder.executor(pool), [] {}), ewyk::queue_full_error);
    BOOST_TEST(shedder.metrics().full == 0u);
    release.set();
    pool.wait();
    bool ran = false;
    asio::post(shedder.executor(pool), [&] { ran = true; });
    pool.wait();
    BOOST_TEST(ran);
}

// The wait itself goes on, and its end is told once.
BOOST_AUTO_TEST_CASE(a_coroutine_that_waits_is_cancelled)
{
    ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
    ewyk::load_shedder shedder({.max_waiting = 1});
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
    auto admitted = false;
    shedder.async_admit(asio::bind_executor(ctx, [&](error_code e) { admitted = !e; }));
    ctx.restart();
    ctx.run();
    BOOST_TEST(admitted);
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
    ewyk::load_shedder shedder({.max_waiting = 4});
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
            asio::post(asio::require(shedder.executor(ctx), ewyk::deadline(time_point::min())),
                [alive] {});
        }
        asio::post(ctx, [&] { ctx.stop(); });
        ctx.run();
        BOOST_TEST(alive.use_count() > 1);
    }
    BOOST_TEST(alive.use_count() == 1);
    asio::io_context other;
    int ran = 0;
    for (int i = 0; i != 4; ++i)
        asio::post(shedder.executor(other), [&] { ++ran; });
    other.run();
    BOOST_TEST(ran == 4);
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
            asio::post(shedder.executor(ctx), [&] {
                ++ran;
                ctx.stop();
            });
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
            auto const ex = shedder.executor(ctx);
            for (int i = 0; i != many; ++i)
                asio::post(ex, [&ran, alive] { ++ran; });
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
