// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The order of posts, channels and coroutines: as an io_context's?

#include "handler_order_support.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/experimental/parallel_group.hpp>

BOOST_AUTO_TEST_SUITE(handler_order_coroutines)

namespace {

using namespace support;
using boost::system::error_code;

// Channels.

using channel = asio::experimental::channel<void(error_code, int)>;

ORDER_TEST_CASE(a_channel_between_posts)
{
    channel queue(ctx);
    queue.async_receive(ran("r"));
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        queue.async_send(error_code(), 1, ran("s"));
        asio::post(ctx, ran("q"));
    });
}

ORDER_TEST_CASE(a_channel_with_a_buffer_between_posts)
{
    channel queue(ctx, 1);
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        queue.async_send(error_code(), 1, ran("s"));
        queue.async_send(error_code(), 2, ran("S"));
        queue.async_receive(ran("r"));
        asio::post(ctx, ran("q"));
    });
}

ORDER_TEST_CASE(a_channel_cancelled_and_closed_between_posts)
{
    channel queue(ctx);
    channel other(ctx);
    queue.async_receive(ran("r"));
    other.async_receive(ran("R"));
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        queue.cancel();
        asio::post(ctx, ran("q"));
        other.close();
        asio::post(ctx, ran("o"));
    });
}

ORDER_TEST_CASE(a_channel_and_a_cancelled_timer)
{
    channel queue(ctx);
    asio::steady_timer timer(ctx, 1h);
    queue.async_receive(ran("r"));
    timer.async_wait(ran("t"));
    in_one_handler(ctx, ran, [&] {
        timer.cancel();
        queue.try_send(error_code(), 1);
    });
}

// Coroutines.

template <class Context>
asio::awaitable<void> takes_turns(Context& ctx, record& ran, char const* name)
{
    for (int i = 0; i != 3; ++i)
    {
        ran.add(name);
        co_await asio::post(ctx, asio::use_awaitable);
    }
}

ORDER_TEST_CASE(two_coroutines_in_turn)
{
    in_one_handler(ctx, ran, [&] {
        asio::co_spawn(ctx, takes_turns(ctx, ran, "a"), asio::detached);
        asio::co_spawn(ctx, takes_turns(ctx, ran, "b"), asio::detached);
    });
}

ORDER_TEST_CASE(coroutines_between_posts)
{
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        asio::co_spawn(ctx, takes_turns(ctx, ran, "a"), ran("A"));
        asio::post(ctx, ran("q"));
        asio::co_spawn(ctx, takes_turns(ctx, ran, "b"), ran("B"));
        asio::post(ctx, ran("r"));
    });
}

ORDER_TEST_CASE(coroutines_of_context_and_base_in_turn)
{
    in_one_handler(ctx, ran, [&] {
        asio::co_spawn(ctx, takes_turns(ctx, ran, "a"), asio::detached);
        asio::co_spawn(base_executor(ctx),
            takes_turns(static_cast<asio::io_context&>(ctx), ran, "b"), asio::detached);
    });
}

ORDER_TEST_CASE(coroutines_on_a_strand_between_posts)
{
    auto const strand = asio::make_strand(ctx);
    in_one_handler(ctx, ran, [&] {
        asio::co_spawn(strand, takes_turns(strand, ran, "a"), ran("A"));
        asio::post(ctx, ran("p"));
        asio::co_spawn(strand, takes_turns(strand, ran, "b"), ran("B"));
        asio::post(ctx, ran("q"));
    });
}

ORDER_TEST_CASE(a_coroutine_that_waits_for_a_cancelled_timer)
{
    asio::steady_timer timer(ctx, 1h);
    auto const waits = [&]() -> asio::awaitable<void> {
        error_code ec;
        co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ec));
        ran.add("c");
    };
    asio::co_spawn(ctx, waits, asio::detached);
    in_one_handler(ctx, ran, [&] {
        timer.cancel();
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(one_of_two_awaited_operations)
{
    asio::steady_timer timer(ctx, 1h);
    channel queue(ctx);
    auto const waits = [&]() -> asio::awaitable<void> {
        using namespace asio::experimental::awaitable_operators;
        co_await (
            timer.async_wait(asio::use_awaitable) || queue.async_receive(asio::use_awaitable));
        ran.add("c");
    };
    asio::co_spawn(ctx, waits, ran("e"));
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, [&] {
            queue.try_send(error_code(), 1);
            asio::post(ctx, [&] {
                ran.add("p");
                asio::post(ctx, ran("q"));
            });
        });
    });
}

ORDER_TEST_CASE(a_group_of_which_one_is_awaited)
{
    asio::steady_timer one(ctx, 1h);
    asio::steady_timer other(ctx, 2h);
    asio::experimental::make_parallel_group(
        one.async_wait(asio::deferred), other.async_wait(asio::deferred))
        .async_wait(asio::experimental::wait_for_one(), ran("g"));
    in_one_handler(ctx, ran, [&] {
        one.cancel();
        asio::post(ctx, [&] {
            ran.add("p");
            asio::post(ctx, ran("q"));
        });
    });
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
