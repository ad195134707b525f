// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What Boost.Asio's own tests expect of an io_context that is given functions: how many run, when,
// and in which order.

#include "support.hpp"

#include <memory>
#include <numeric>
#include <type_traits>

using namespace support;
using boost::system::error_code;

BOOST_AUTO_TEST_SUITE(asio_suite_io_context)

CONTEXT_TEST_CASE(nothing_to_do_ends_every_way_of_running, s)
{
    context ctx(s);
    auto const ends = [&](auto&& start) {
        BOOST_TEST(!ctx.stopped());
        BOOST_TEST(start() == 0u);
        BOOST_TEST(ctx.stopped());
        ctx.restart();
    };
    auto const later = [] { return std::chrono::steady_clock::now() + patience; };
    ends([&] { return ctx.run(); });
    ends([&] { return ctx.run_for(patience); });
    ends([&] { return ctx.run_until(later()); });
    ends([&] { return ctx.run_one(); });
    ends([&] { return ctx.run_one_for(patience); });
    ends([&] { return ctx.run_one_until(later()); });
    ends([&] { return ctx.poll(); });
    ends([&] { return ctx.poll_one(); });
}

CONTEXT_TEST_CASE(what_comes_from_outside_waits_for_run, s)
{
    context ctx(s);
    std::atomic<int> ran{0};
    asio::post(ctx, [&] { ++ran; });
    asio::defer(ctx, [&] { ++ran; });
    asio::dispatch(ctx, [&] { ++ran; });
    asio::post(ctx.get_executor(), [&] { ++ran; });
    ctx.get_executor().execute([&] { ++ran; });
    BOOST_TEST(ran == 0);
    run(ctx);
    BOOST_TEST(ran == 5);
    BOOST_TEST(ctx.stopped());

    // Stopped by lack of work: what comes now waits for restart().
    asio::post(ctx, [&] { ++ran; });
    BOOST_TEST(ctx.run() == 0u);
    BOOST_TEST(ran == 5);
    ctx.restart();
    BOOST_TEST(!ctx.stopped());
    run(ctx);
    BOOST_TEST(ran == 6);
}

CONTEXT_TEST_CASE(run_counts_the_handlers, s)
{
    context ctx(s);
    std::atomic<std::size_t> ran{0};
    asio::steady_timer timer(ctx, 1ms);
    timer.async_wait([&](error_code) { ++ran; });
    for (int i = 0; i < 100; ++i)
        asio::post(ctx, [&] { ++ran; });
    auto const counted = run(ctx);
    BOOST_TEST(ran == 101u);
    BOOST_TEST(counted == 101u);
}

// A dispatch from a handler is part of that handler.
CONTEXT_TEST_CASE(a_dispatched_function_is_not_counted, s)
{
    context ctx(s);
    int depth = 0;
    struct nest
    {
        context& ctx;
        int& depth;
        void operator()() const
        {
            if (++depth < 10)
                asio::dispatch(ctx, *this);
        }
    };
    asio::post(ctx, nest{ctx, depth});
    BOOST_TEST(run(ctx) == 1u);
    BOOST_TEST(depth == 10);
}

CONTEXT_TEST_CASE(run_one_takes_one, s)
{
    constexpr int count = 20;
    context ctx(s);
    deadline const in_time(ctx);
    std::atomic<int> ran{0};
    for (int i = 0; i < count; ++i)
        asio::post(ctx, [&] { ++ran; });
    for (int i = 1; i <= count; ++i)
    {
        BOOST_TEST(ctx.run_one() == 1u);
        if (s.steps_in_place)
            BOOST_TEST(ran == i);
    }
    BOOST_TEST(eventually([&] { return ran == count; }));
    BOOST_TEST(ctx.run_one() == 0u);
    BOOST_TEST(ctx.stopped());
}

CONTEXT_TEST_CASE(run_one_waits_for_a_handler, s)
{
    context ctx(s);
    deadline const in_time(ctx);
    asio::steady_timer timer(ctx, 5ms);
    std::atomic<bool> expired{false};
    timer.async_wait([&](error_code ec) { expired = !ec; });
    BOOST_TEST(ctx.run_one() == 1u);
    BOOST_TEST(eventually([&] { return expired.load(); }));
}

CONTEXT_TEST_CASE(poll_one_takes_one_and_does_not_wait, s)
{
    context ctx(s);
    auto const work = asio::make_work_guard(ctx);
    std::atomic<int> ran{0};
    asio::steady_timer timer(ctx, 1h);
    timer.async_wait([&](error_code) { ran += 100; });
    BOOST_TEST(ctx.poll_one() == 0u);
    BOOST_TEST(!ctx.stopped());
    asio::post(ctx, [&] { ++ran; });
    asio::post(ctx, [&] { ++ran; });
    BOOST_TEST(ctx.poll_one() == 1u);
    BOOST_TEST(ctx.poll_one() == 1u);
    BOOST_TEST(eventually([&] { return ran == 2; }));
    BOOST_TEST(ctx.poll_one() == 0u);
    BOOST_TEST(!ctx.stopped());
}

CONTEXT_TEST_CASE(poll_takes_all_that_is_ready, s)
{
    context ctx(s);
    auto const work = asio::make_work_guard(ctx);
    std::atomic<int> ran{0};
    for (int i = 0; i < 50; ++i)
        asio::post(ctx, [&] { ++ran; });
    BOOST_TEST(ctx.poll() == 50u);
    if (s.steps_in_place)
        BOOST_TEST(ran == 50);
    BOOST_TEST(eventually([&] { return ran == 50; }));
    BOOST_TEST(ctx.poll() == 0u);
    BOOST_TEST(!ctx.stopped());
}

// Also what becomes ready meanwhile.
CONTEXT_TEST_CASE(poll_takes_what_its_handlers_post, s)
{
    if (!s.steps_in_place)
        return;
    context ctx(s);
    int left = 100;
    struct again
    {
        context& ctx;
        int& left;
        void operator()() const
        {
            if (--left > 0)
                asio::post(ctx, *this);
        }
    };
    asio::post(ctx, again{ctx, left});
    BOOST_TEST(ctx.poll() == 100u);
    BOOST_TEST(left == 0);
    BOOST_TEST(ctx.stopped());
}

// Only where one thread runs all handlers is there an order to speak of.
CONTEXT_TEST_CASE(functions_run_in_the_order_of_their_posts, s)
{
    constexpr int count = 1000;
    std::vector<int> expected(count);
    std::iota(expected.begin(), expected.end(), 0);
    auto const order_of = [&](auto&& start) {
        context ctx(s);
        std::vector<int> order;
        for (int i = 0; i < count; ++i)
            asio::post(ctx, [&order, i] { order.push_back(i); });
        start(ctx);
        return order;
    };
    if (s.serial)
        BOOST_TEST(
            order_of([](context& ctx) { run(ctx); }) == expected, boost::test_tools::per_element());
    if (s.steps_in_place)
    {
        BOOST_TEST(order_of([](context& ctx) { ctx.poll(); }) == expected,
            boost::test_tools::per_element());
        BOOST_TEST(order_of([](context& ctx) {
            while (ctx.run_one() != 0)
            {
            }
        }) == expected,
            boost::test_tools::per_element());
    }
    context ctx(s);
    std::atomic<int> ran{0};
    for (int i = 0; i < count; ++i)
        asio::post(ctx, [&] { ++ran; });
    run(ctx);
    BOOST_TEST(ran == count);
}

CONTEXT_TEST_CASE(a_post_from_a_handler_comes_after_it, s)
{
    if (!s.serial)
        return;
    context ctx(s);
    std::vector<int> order;
    asio::post(ctx, [&] {
        asio::post(ctx, [&] { order.push_back(4); });
        asio::dispatch(ctx, [&] { order.push_back(1); });
        order.push_back(2);
    });
    asio::post(ctx, [&] { order.push_back(3); });
    run(ctx);
    BOOST_TEST(order == (std::vector<int>{1, 2, 3, 4}), boost::test_tools::per_element());
}

CONTEXT_TEST_CASE(a_chain_of_1e5_posts, s)
{
    context ctx(s);
    int left = 100000; // one link at a time
    struct again
    {
        context& ctx;
        int& left;
        void operator()() const
        {
            if (--left > 0)
                asio::post(ctx, *this);
        }
    };
    asio::post(ctx, again{ctx, left});
    run(ctx);
    BOOST_TEST(left == 0);
}

CONTEXT_TEST_CASE(posts_that_fan_out, s)
{
    context ctx(s);
    std::atomic<int> ran{0};
    struct tree
    {
        context& ctx;
        std::atomic<int>& ran;
        int depth;
        void operator()() const
        {
            ++ran;
            if (depth > 0)
            {
                asio::post(ctx, tree{ctx, ran, depth - 1});
                asio::defer(ctx, tree{ctx, ran, depth - 1});
            }
        }
    };
    asio::post(ctx, tree{ctx, ran, 15});
    run(ctx);
    BOOST_TEST(ran == (1 << 16) - 1);
}

CONTEXT_TEST_CASE(work_guards_count, s)
{
    context ctx(s);
    auto first = asio::make_work_guard(ctx);
    auto second = first;
    auto third = std::move(first);
    using tracked_executor = std::decay_t<decltype(asio::require(
        ctx.get_executor(), asio::execution::outstanding_work.tracked))>;
    auto tracked = std::make_unique<tracked_executor>(
        asio::require(ctx.get_executor(), asio::execution::outstanding_work.tracked));
    auto copy = std::make_unique<tracked_executor>(*tracked);
    BOOST_TEST(!first.owns_work());
    BOOST_TEST(second.owns_work());

    auto const goes_on = [&] {
        bool const none = ctx.run_for(1ms) == 0;
        return none && !ctx.stopped();
    };
    BOOST_TEST(goes_on());
    second.reset();
    BOOST_TEST(goes_on());
    third.reset();
    BOOST_TEST(goes_on());
    tracked.reset();
    BOOST_TEST(goes_on());
    copy.reset();
    BOOST_TEST(ctx.run() == 0u);
    BOOST_TEST(ctx.stopped());
}

// Assigned over, onto themselves, and between contexts: no count may get lost.
CONTEXT_TEST_CASE(tracked_executors_are_assigned, s)
{
    context a(s);
    context b(s);
    using tracked = std::decay_t<decltype(asio::require(
        a.get_executor(), asio::execution::outstanding_work.tracked))>;
    {
        tracked on_a = asio::require(a.get_executor(), asio::execution::outstanding_work.tracked);
        tracked const on_b =
            asio::require(b.get_executor(), asio::execution::outstanding_work.tracked);
        tracked& self = on_a;
        on_a = self;
        BOOST_TEST(a.run_for(1ms) == 0u);
        BOOST_TEST(!a.stopped());
        on_a = on_b;
        BOOST_TEST(a.run() == 0u);
        BOOST_TEST(a.stopped());
        tracked moved = std::move(on_a);
        on_a = std::move(moved);
        BOOST_TEST(b.run_for(1ms) == 0u);
        BOOST_TEST(!b.stopped());
    }
    BOOST_TEST(b.run() == 0u);
    BOOST_TEST(b.stopped());
}

BOOST_AUTO_TEST_SUITE_END()
