// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The order of functions on the context, on its base and on strands of both: as an io_context's?

#include "handler_order_support.hpp"

BOOST_AUTO_TEST_SUITE(handler_order)

namespace {

using namespace support;

// Functions.

ORDER_TEST_CASE(posts)
{
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        asio::post(ctx, [&] {
            ran.add("q");
            asio::post(ctx, ran("s"));
        });
        asio::post(ctx, ran("r"));
    });
}

ORDER_TEST_CASE(posts_from_outside_to_context_and_base_in_turn)
{
    asio::post(ctx, ran("o"));
    asio::post(base_executor(ctx), ran("n"));
    asio::post(ctx, ran("O"));
    asio::post(base_executor(ctx), ran("N"));
    ctx.run();
}

ORDER_TEST_CASE(posts_to_context_and_base_in_turn)
{
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("o"));
        asio::post(base_executor(ctx), ran("n"));
        asio::post(ctx, ran("O"));
        asio::post(base_executor(ctx), ran("N"));
    });
}

ORDER_TEST_CASE(chains_in_context_and_base)
{
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, [&] {
            ran.add("o");
            asio::post(ctx, ran("O"));
        });
        asio::post(base_executor(ctx), [&] {
            ran.add("n");
            asio::post(base_executor(ctx), ran("N"));
        });
    });
}

ORDER_TEST_CASE(chains_that_change_sides)
{
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, [&] {
            ran.add("o");
            asio::post(base_executor(ctx), ran("N"));
        });
        asio::post(base_executor(ctx), [&] {
            ran.add("n");
            asio::post(ctx, ran("O"));
        });
    });
}

ORDER_TEST_CASE(a_defer_between_posts)
{
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        asio::defer(ctx, ran("d"));
        asio::post(ctx, ran("q"));
    });
}

ORDER_TEST_CASE(a_defer_to_base_between_posts)
{
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        asio::defer(base_executor(ctx), ran("d"));
        asio::post(ctx, ran("q"));
    });
}

ORDER_TEST_CASE(a_defer_from_outside_between_posts)
{
    asio::post(ctx, ran("p"));
    asio::defer(ctx, ran("d"));
    asio::post(ctx, ran("q"));
    ctx.run();
}

ORDER_TEST_CASE(a_dispatch_in_a_handler)
{
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        asio::dispatch(ctx, ran("d"));
        ran.add("after");
    });
}

ORDER_TEST_CASE(a_dispatch_to_base_in_a_handler)
{
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        asio::dispatch(base_executor(ctx), ran("d"));
        ran.add("after");
    });
}

ORDER_TEST_CASE(a_dispatch_in_a_handler_of_base)
{
    asio::post(base_executor(ctx), [&] {
        asio::post(base_executor(ctx), ran("p"));
        asio::dispatch(ctx, ran("d"));
        ran.add("after");
    });
    ctx.run();
}

ORDER_TEST_CASE(a_dispatch_from_outside)
{
    asio::post(ctx, ran("p"));
    asio::dispatch(ctx, ran("d"));
    asio::post(ctx, ran("q"));
    ctx.run();
}

ORDER_TEST_CASE(a_bound_executor)
{
    in_one_handler(ctx, ran, [&] {
        asio::post(asio::bind_executor(ctx, ran("b")));
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(a_post_to_base_that_is_bound_to_the_context)
{
    in_one_handler(ctx, ran, [&] {
        asio::post(base_executor(ctx), asio::bind_executor(ctx, ran("b")));
        asio::post(ctx, ran("p"));
        asio::post(ctx, ran("q"));
    });
}

ORDER_TEST_CASE(a_post_that_is_bound_to_base)
{
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, asio::bind_executor(base_executor(ctx), ran("b")));
        asio::post(ctx, ran("p"));
        asio::post(ctx, ran("q"));
    });
}

ORDER_TEST_CASE(a_deferred_operation)
{
    in_one_handler(ctx, ran, [&] {
        auto later = asio::post(ctx, asio::deferred);
        asio::post(ctx, ran("p"));
        std::move(later)(ran("l"));
        asio::post(ctx, ran("q"));
    });
}

ORDER_TEST_CASE(a_future)
{
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        asio::post(ctx, asio::use_future(ran("f")));
        asio::post(ctx, ran("q"));
    });
}

ORDER_TEST_CASE(a_future_of_a_cancelled_timer)
{
    asio::steady_timer timer(ctx, 1h);
    auto cancelled = timer.async_wait(asio::use_future(ran("t")));
    in_one_handler(ctx, ran, [&] {
        timer.cancel();
        asio::post(ctx, ran("p"));
    });
}

// Strands.

ORDER_TEST_CASE(strand_and_context_in_turn)
{
    auto const strand = asio::make_strand(ctx);
    in_one_handler(ctx, ran, [&] {
        asio::post(strand, ran("s"));
        asio::post(ctx, ran("o"));
        asio::post(strand, ran("S"));
        asio::post(ctx, ran("O"));
    });
}

ORDER_TEST_CASE(strand_of_base_and_base_in_turn)
{
    auto const strand = asio::make_strand(base_executor(ctx));
    in_one_handler(ctx, ran, [&] {
        asio::post(strand, ran("s"));
        asio::post(base_executor(ctx), ran("n"));
        asio::post(strand, ran("S"));
        asio::post(base_executor(ctx), ran("N"));
    });
}

ORDER_TEST_CASE(strand_of_base_and_context_in_turn)
{
    auto const strand = asio::make_strand(base_executor(ctx));
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("o"));
        asio::post(strand, ran("s"));
        asio::post(ctx, ran("O"));
        asio::post(strand, ran("S"));
    });
}

ORDER_TEST_CASE(a_strand_of_each_in_turn)
{
    auto const ours = asio::make_strand(ctx);
    auto const base = asio::make_strand(base_executor(ctx));
    in_one_handler(ctx, ran, [&] {
        asio::post(ours, ran("s"));
        asio::post(base, ran("b"));
        asio::post(ours, ran("S"));
        asio::post(base, ran("B"));
    });
}

ORDER_TEST_CASE(a_strand_that_is_posted_to_in_itself)
{
    auto const strand = asio::make_strand(ctx);
    in_one_handler(ctx, ran, [&] {
        asio::post(strand, [&] {
            ran.add("s");
            asio::post(strand, ran("t"));
            asio::post(ctx, ran("q"));
            asio::dispatch(strand, ran("d"));
            asio::defer(strand, ran("e"));
        });
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(a_dispatch_to_a_strand)
{
    auto const strand = asio::make_strand(ctx);
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        asio::dispatch(strand, ran("s"));
        ran.add("after");
    });
}

ORDER_TEST_CASE(a_dispatch_to_a_strand_of_base)
{
    auto const strand = asio::make_strand(base_executor(ctx));
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        asio::dispatch(strand, ran("s"));
        ran.add("after");
    });
}

ORDER_TEST_CASE(a_timer_of_a_strand_cancelled_before_posts)
{
    auto const strand = asio::make_strand(ctx);
    asio::steady_timer timer(strand, 1h);
    timer.async_wait(ran("t"));
    in_one_handler(ctx, ran, [&] {
        timer.cancel();
        asio::post(strand, ran("s"));
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(a_wait_bound_to_a_strand_cancelled_before_posts)
{
    auto const strand = asio::make_strand(ctx);
    asio::steady_timer timer(ctx, 1h);
    timer.async_wait(asio::bind_executor(strand, ran("t")));
    in_one_handler(ctx, ran, [&] {
        timer.cancel();
        asio::post(strand, ran("s"));
        asio::post(ctx, ran("p"));
    });
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
