// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Step by step, what runs in which step, and what the step returns: as with an io_context?

#include "handler_order_support.hpp"

#include <stdexcept>

BOOST_AUTO_TEST_SUITE(handler_order_steps)

namespace {

using namespace support;
using boost::system::error_code;

/// Takes steps until one finds nothing.
template <class Step>
void take_all(record& ran, Step step)
{
    for (std::size_t n = 1; n != 0;)
    {
        n = step();
        ran.add(n);
    }
}

template <class Context>
void post_some(Context& ctx, record& ran)
{
    asio::post(ctx, ran("p"));
    asio::post(ctx, [&] {
        ran.add("q");
        asio::post(ctx, ran("r"));
        asio::dispatch(ctx, ran("d"));
    });
    asio::defer(ctx, ran("s"));
}

template <class Context>
void post_in_turn(Context& ctx, record& ran)
{
    asio::post(ctx, ran("o"));
    asio::post(base_executor(ctx), ran("n"));
    asio::post(ctx, ran("O"));
    asio::post(base_executor(ctx), ran("N"));
}

ORDER_TEST_CASE(run_of_posts)
{
    post_some(ctx, ran);
    take_all(ran, [&] { return ctx.run(); });
}

ORDER_TEST_CASE(run_one_of_posts)
{
    post_some(ctx, ran);
    take_all(ran, [&] { return ctx.run_one(); });
}

ORDER_TEST_CASE(poll_of_posts)
{
    post_some(ctx, ran);
    take_all(ran, [&] { return ctx.poll(); });
}

ORDER_TEST_CASE(poll_one_of_posts)
{
    post_some(ctx, ran);
    take_all(ran, [&] { return ctx.poll_one(); });
}

ORDER_TEST_CASE(run_for_of_posts)
{
    post_some(ctx, ran);
    take_all(ran, [&] { return ctx.run_for(patience); });
}

ORDER_TEST_CASE(run_one_for_of_posts)
{
    post_some(ctx, ran);
    take_all(ran, [&] { return ctx.run_one_for(patience); });
}

ORDER_TEST_CASE(no_time_to_run)
{
    post_some(ctx, ran);
    ran.add(ctx.run_for(0s));
    ran.add(ctx.run_one_for(0s));
    ran.add(ctx.poll_one());
    ran.add(ctx.run());
}

ORDER_TEST_CASE(run_of_posts_in_turn)
{
    post_in_turn(ctx, ran);
    take_all(ran, [&] { return ctx.run(); });
}

ORDER_TEST_CASE(run_one_of_posts_in_turn)
{
    post_in_turn(ctx, ran);
    take_all(ran, [&] { return ctx.run_one(); });
}

ORDER_TEST_CASE(poll_of_posts_in_turn)
{
    post_in_turn(ctx, ran);
    take_all(ran, [&] { return ctx.poll(); });
}

ORDER_TEST_CASE(poll_one_of_posts_in_turn)
{
    post_in_turn(ctx, ran);
    take_all(ran, [&] { return ctx.poll_one(); });
}

ORDER_TEST_CASE(run_of_posts_to_base)
{
    asio::post(base_executor(ctx), ran("n"));
    asio::post(base_executor(ctx), ran("N"));
    take_all(ran, [&] { return ctx.run(); });
}

ORDER_TEST_CASE(run_one_of_posts_to_base)
{
    asio::post(base_executor(ctx), ran("n"));
    asio::post(base_executor(ctx), ran("N"));
    take_all(ran, [&] { return ctx.run_one(); });
}

ORDER_TEST_CASE(run_one_of_a_strand)
{
    auto const strand = asio::make_strand(ctx);
    asio::post(strand, ran("s"));
    asio::post(ctx, ran("p"));
    asio::post(strand, ran("S"));
    take_all(ran, [&] { return ctx.run_one(); });
}

ORDER_TEST_CASE(poll_one_of_a_post_each)
{
    auto const work = asio::make_work_guard(ctx);
    for (auto name : {"p", "q", "r"})
    {
        asio::post(ctx, ran(name));
        ran.add(ctx.poll_one());
        ran.add(ctx.poll_one());
    }
}

ORDER_TEST_CASE(poll_of_posts_and_a_cancelled_timer)
{
    auto const work = asio::make_work_guard(ctx);
    asio::steady_timer timer(ctx, 1h);
    timer.async_wait(ran("t"));
    ran.add(ctx.poll());
    timer.cancel();
    asio::post(ctx, ran("p"));
    ran.add(ctx.poll());
    ran.add(ctx.poll());
}

ORDER_TEST_CASE(poll_one_of_posts_and_a_cancelled_timer)
{
    asio::steady_timer timer(ctx, 1h);
    timer.async_wait(ran("t"));
    ran.add(ctx.poll_one());
    timer.cancel();
    asio::post(ctx, ran("p"));
    take_all(ran, [&] { return ctx.poll_one(); });
}

ORDER_TEST_CASE(run_one_of_coroutines)
{
    auto const turns = [&](char const* name) -> asio::awaitable<void> {
        for (int i = 0; i != 2; ++i)
        {
            ran.add(name);
            co_await asio::post(ctx, asio::use_awaitable);
        }
    };
    asio::co_spawn(ctx, turns("a"), asio::detached);
    asio::co_spawn(ctx, turns("b"), asio::detached);
    take_all(ran, [&] { return ctx.run_one(); });
}

// In a handler.

// With a hint of 1 an io_context waits for ever. With the other strategies another thread is asked to
// produce, since the handler waits for others.
ORDER_TEST_CASE_WITH(run_one_in_a_handler, produce_consume_only)
{
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        asio::post(ctx, ran("q"));
        ran.add(ctx.run_one());
        ran.add("after");
    });
}

// With a hint of 1 an io_context does not see what is deferred.
ORDER_TEST_CASE_WITH(poll_in_a_handler, all_but_hint_1)
{
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        asio::defer(ctx, ran("d"));
        asio::post(ctx, [&] {
            ran.add("q");
            asio::post(ctx, ran("r"));
        });
        ran.add(ctx.poll());
        ran.add("after");
    });
}

ORDER_TEST_CASE(poll_one_in_a_handler)
{
    asio::steady_timer timer(ctx, 1h);
    timer.async_wait(ran("t"));
    in_one_handler(ctx, ran, [&] {
        timer.cancel();
        asio::post(ctx, ran("p"));
        ran.add(ctx.poll_one());
        ran.add("after");
    });
}

ORDER_TEST_CASE(stop_in_a_handler)
{
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        ctx.stop();
        asio::post(ctx, ran("q"));
    });
    ran.add(ctx.run());
    ctx.restart();
    ran.add(ctx.run());
}

ORDER_TEST_CASE(stop_between_posts_and_a_cancelled_timer)
{
    asio::steady_timer timer(ctx, 1h);
    timer.async_wait(ran("t"));
    in_one_handler(ctx, ran, [&] {
        timer.cancel();
        asio::post(ctx, ran("p"));
        ctx.stop();
    });
    ctx.restart();
    ran.add(ctx.run());
}

ORDER_TEST_CASE(an_exception_between_posts)
{
    asio::post(ctx, ran("p"));
    asio::post(ctx, [] { throw std::runtime_error("thrown"); });
    asio::post(ctx, ran("q"));
    try
    {
        ctx.run();
    }
    catch (std::runtime_error const&)
    {
        ran.add("thrown");
    }
    ran.add(ctx.run());
}

ORDER_TEST_CASE(an_exception_of_base_between_posts)
{
    asio::post(ctx, ran("p"));
    asio::post(base_executor(ctx), [] { throw std::runtime_error("thrown"); });
    asio::post(ctx, ran("q"));
    try
    {
        ctx.run();
    }
    catch (std::runtime_error const&)
    {
        ran.add("thrown");
    }
    ran.add(ctx.run());
}

ORDER_TEST_CASE(run_after_the_end)
{
    asio::post(ctx, ran("p"));
    ran.add(ctx.run());
    asio::post(ctx, ran("q"));
    ran.add(ctx.run());
    ran.add(ctx.poll());
    ctx.restart();
    ran.add(ctx.run_one());
    ran.add(ctx.run_one());
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
