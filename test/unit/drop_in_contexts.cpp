// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Several contexts beside and inside each other.

#include "support.hpp"

#include <memory>

using namespace support;

BOOST_AUTO_TEST_SUITE(drop_in_contexts)

// A ball goes to and fro; each context is kept running by the other's handlers only.
CONTEXT_TEST_CASE(two_contexts_that_hold_each_others_work, s)
{
    constexpr int rounds = 2000;
    context a(s);
    context b(s);
    int ball = 0; // travels with the handler
    struct hit
    {
        context* here;
        context* there;
        int* ball;
        asio::executor_work_guard<executor> keeps_there;

        void operator()()
        {
            if (++*ball == rounds)
                return;
            auto guard = asio::make_work_guard(*here);
            asio::post(*there, hit{there, here, ball, std::move(guard)});
        }
    };
    asio::post(a, hit{&a, &b, &ball, asio::make_work_guard(b)});
    std::thread other([&] { run(b); });
    run(a);
    other.join();
    BOOST_TEST(ball == rounds);
    BOOST_TEST(a.stopped());
    BOOST_TEST(b.stopped());
}

CONTEXT_TEST_CASE(a_context_run_inside_a_handler_of_another, s)
{
    context outer(s);
    context inner(s);
    std::atomic<int> inner_ran{0};
    int after_nested = 0;
    bool inline_afterwards = false;
    asio::post(outer, [&] {
        for (int i = 0; i < 100; ++i)
            asio::post(inner, [&] { ++inner_ran; });
        asio::steady_timer timer(inner, 1ms);
        timer.async_wait([&](boost::system::error_code ec) { inner_ran += ec ? 1000 : 1; });
        run(inner);
        after_nested = inner_ran;
        // The thread serves the outer context again, and knows it.
        asio::dispatch(outer, [&] { inline_afterwards = true; });
        LOCKED_TEST(inline_afterwards);
    });
    run(outer);
    BOOST_TEST(after_nested == 101);
    BOOST_TEST(inline_afterwards);
}

CONTEXT_TEST_CASE(nesting_goes_deep, s)
{
    constexpr int depth = 8;
    struct nest
    {
        setting const& s;
        std::atomic<int>& reached;

        void operator()(int level) const
        {
            ++reached;
            if (level == depth)
                return;
            context ctx(s);
            asio::post(ctx, [this, level] { (*this)(level + 1); });
            ctx.run();
        }
    };
    std::atomic<int> reached{0};
    nest{s, reached}(0);
    BOOST_TEST(reached == depth + 1);
}

// What the nested context waits for comes from the outer one, which must go on without the thread
// that is inside. A serial context cannot.
CONTEXT_TEST_CASE(the_outer_context_goes_on_during_a_nested_run, s)
{
    if (s.serial)
        return;
    context outer(s);
    context inner(s);
    bool released = false;
    asio::post(outer, [&] {
        auto work = std::make_shared<asio::executor_work_guard<executor>>(inner.get_executor());
        asio::post(outer, [&inner, &released, work] {
            asio::post(inner, [&released, work] {
                released = true;
                work->reset();
            });
        });
        work.reset();
        run(inner);
    });
    run(outer);
    BOOST_TEST(released);
}

// A handler that runs other handlers of its own context, step by step.
CONTEXT_TEST_CASE(a_handler_polls_its_own_context, s)
{
    context ctx(s);
    std::atomic<int> ran{0};
    std::size_t stepped = 0;
    asio::post(ctx, [&] {
        for (int i = 0; i < 50; ++i)
            asio::post(ctx, [&] { ++ran; });
        stepped = ctx.poll();
        stepped += ctx.poll_one();
    });
    run(ctx);
    BOOST_TEST(ran == 50);
    BOOST_TEST(stepped <= 50u);
}

CONTEXT_TEST_CASE(work_submitted_through_the_base_class, s)
{
    context ctx(s);
    asio::io_context& base = ctx;
    std::atomic<int> ran{0};
    asio::post(base, [&] { ++ran; });
    asio::steady_timer timer(base, 1ms);
    timer.async_wait([&](boost::system::error_code ec) { ran += ec ? 1000 : 1; });
    asio::post(asio::make_strand(base), [&] { ++ran; });
    run(ctx);
    BOOST_TEST(ran == 3);
}

BOOST_AUTO_TEST_SUITE_END()
