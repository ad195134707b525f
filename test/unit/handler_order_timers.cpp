// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The order of posts and timers: as an io_context's?

#include "handler_order_support.hpp"

BOOST_AUTO_TEST_SUITE(handler_order_timers)

namespace {

using namespace support;
using boost::system::error_code;

// Timers.

ORDER_TEST_CASE(a_timer_cancelled_before_a_post)
{
    asio::steady_timer timer(ctx, 1h);
    timer.async_wait(ran("t"));
    in_one_handler(ctx, ran, [&] {
        timer.cancel();
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(a_timer_cancelled_after_a_post)
{
    asio::steady_timer timer(ctx, 1h);
    timer.async_wait(ran("t"));
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        timer.cancel();
    });
}

ORDER_TEST_CASE(a_timer_cancelled_by_a_post)
{
    asio::steady_timer timer(ctx, 1h);
    timer.async_wait(ran("t"));
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, [&] { timer.cancel(); });
        asio::post(ctx, [&] {
            ran.add("p");
            asio::post(ctx, ran("q"));
        });
    });
}

ORDER_TEST_CASE(a_timer_of_base_cancelled_before_posts_to_base)
{
    asio::steady_timer timer(base_executor(ctx), 1h);
    timer.async_wait(ran("t"));
    in_one_handler(ctx, ran, [&] {
        timer.cancel();
        asio::post(base_executor(ctx), ran("p"));
    });
}

ORDER_TEST_CASE(a_timer_destroyed_before_a_post)
{
    auto timer = std::make_unique<asio::steady_timer>(ctx, 1h);
    timer->async_wait(ran("t"));
    in_one_handler(ctx, ran, [&] {
        timer.reset();
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(cancel_one_between_posts)
{
    asio::steady_timer timer(ctx, 1h);
    timer.async_wait(ran("t"));
    timer.async_wait(ran("T"));
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        timer.cancel_one();
        asio::post(ctx, ran("q"));
        timer.cancel_one();
    });
}

ORDER_TEST_CASE(two_timers_cancelled)
{
    asio::steady_timer one(ctx, 1h);
    asio::steady_timer other(ctx, 2h);
    one.async_wait(ran("t"));
    other.async_wait(ran("T"));
    in_one_handler(ctx, ran, [&] {
        other.cancel();
        one.cancel();
    });
}

ORDER_TEST_CASE(an_emitted_cancellation_and_a_timer_between_posts)
{
    asio::steady_timer timer(ctx, 1h);
    asio::steady_timer slotted(ctx, 1h);
    asio::cancellation_signal signal;
    timer.async_wait(ran("t"));
    slotted.async_wait(asio::bind_cancellation_slot(signal.slot(), ran("u")));
    in_one_handler(ctx, ran, [&] {
        signal.emit(asio::cancellation_type::total);
        asio::post(ctx, ran("p"));
        timer.cancel();
        asio::post(ctx, ran("q"));
    });
}

ORDER_TEST_CASE(a_new_expiry_before_a_post)
{
    asio::steady_timer timer(ctx, 1h);
    timer.async_wait(ran("t"));
    in_one_handler(ctx, ran, [&] {
        timer.expires_after(0s);
        timer.async_wait(ran("T"));
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(a_timer_of_0s_after_a_post)
{
    asio::steady_timer timer(ctx);
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        timer.expires_after(0s);
        timer.async_wait(ran("t"));
    });
}

// They become ready in one look at the clock.
ORDER_TEST_CASE(timers_of_one_expiry)
{
    auto const expiry = std::chrono::steady_clock::now() + 1ms;
    asio::steady_timer first(ctx, expiry);
    asio::steady_timer second(ctx, expiry);
    asio::steady_timer third(base_executor(ctx), expiry);
    in_one_handler(ctx, ran, [&] {
        second.async_wait([&](error_code) {
            ran.add("2");
            asio::post(ctx, ran("p"));
        });
        third.async_wait(ran("3"));
        first.async_wait(ran("1"));
    });
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
