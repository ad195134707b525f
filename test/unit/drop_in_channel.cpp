// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Experimental channels between handlers and coroutines of a strategy_context.

#include "support.hpp"

#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>

using namespace support;
using asio::awaitable;
using asio::use_awaitable;
using boost::system::error_code;

namespace {

using channel = asio::experimental::channel<void(error_code, int)>;
using concurrent_channel = asio::experimental::concurrent_channel<void(error_code, int)>;
using concrete_channel = asio::experimental::basic_concurrent_channel<executor,
    asio::experimental::channel_traits<>, void(error_code, int)>;

}

BOOST_AUTO_TEST_SUITE(drop_in_channel)

// The plain channel locks nothing, so both ends live on one strand.
CONTEXT_TEST_CASE(hands_values_over_in_order, s)
{
    constexpr int count = 500;
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    channel ch(strand, 3);
    std::vector<int> received;
    asio::co_spawn(
        strand,
        [&]() -> awaitable<void> {
            for (int i = 0; i < count; ++i)
                co_await ch.async_send(error_code(), i, use_awaitable);
        },
        asio::detached);
    asio::co_spawn(
        strand,
        [&]() -> awaitable<void> {
            for (int i = 0; i < count; ++i)
                received.push_back(co_await ch.async_receive(use_awaitable));
        },
        asio::detached);
    run(ctx);
    BOOST_TEST_REQUIRE(received.size() == static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
        BOOST_TEST(received[static_cast<std::size_t>(i)] == i);
}

CONTEXT_TEST_CASE(a_concurrent_channel_loses_nothing, s)
{
    constexpr int producers = 4;
    constexpr int consumers = 3;
    constexpr int each = 300;
    constexpr int end = -1; // tells one consumer to leave: close() may drop what is still buffered
    context ctx(s);
    concurrent_channel ch(ctx, 8);
    std::atomic<int> open{producers};
    std::atomic<long> sum{0};
    std::atomic<int> received{0};
    for (int p = 0; p < producers; ++p)
        asio::co_spawn(
            ctx,
            [&]() -> awaitable<void> {
                for (int i = 1; i <= each; ++i)
                    co_await ch.async_send(error_code(), i, use_awaitable);
                if (--open > 0)
                    co_return;
                for (int c = 0; c < consumers; ++c)
                    co_await ch.async_send(error_code(), end, use_awaitable);
            },
            asio::detached);
    for (int c = 0; c < consumers; ++c)
        asio::co_spawn(
            ctx,
            [&]() -> awaitable<void> {
                for (;;)
                {
                    int const n = co_await ch.async_receive(use_awaitable);
                    if (n == end)
                        co_return;
                    sum += n;
                    ++received;
                }
            },
            asio::detached);
    run(ctx);
    BOOST_TEST(received == producers * each);
    BOOST_TEST(sum == producers * each * (each + 1) / 2);
}

CONTEXT_TEST_CASE(close_wakes_all_receivers, s)
{
    constexpr int receivers = 5;
    context ctx(s);
    concurrent_channel ch(ctx);
    std::atomic<int> closed{0};
    for (int i = 0; i < receivers; ++i)
        ch.async_receive([&](error_code ec, int) {
            LOCKED_TEST((ec == asio::experimental::error::channel_closed));
            ++closed;
        });
    asio::post(ctx, [&] { ch.close(); });
    run(ctx);
    BOOST_TEST(closed == receivers);
}

CONTEXT_TEST_CASE(a_concurrent_channel_of_the_concrete_executor, s)
{
    context ctx(s);
    concrete_channel ch(ctx.get_executor(), 1);
    int received = 0;
    ch.async_receive([&](error_code ec, int n) {
        LOCKED_TEST(!ec, ec.message());
        received = n;
    });
    asio::post(ctx, [&] { LOCKED_TEST(ch.try_send(error_code(), 7)); });
    run(ctx);
    BOOST_TEST(received == 7);
}

// Values come from a thread that has nothing to do with the context.
CONTEXT_TEST_CASE(is_fed_from_outside, s)
{
    constexpr int count = 1000;
    context ctx(s);
    concurrent_channel ch(ctx, count);
    int received = 0;
    asio::co_spawn(
        ctx,
        [&]() -> awaitable<void> {
            while (received < count)
            {
                int const n = co_await ch.async_receive(use_awaitable);
                LOCKED_TEST(n == received);
                ++received;
            }
        },
        asio::detached);
    std::thread outside([&] {
        for (int i = 0; i < count; ++i)
            LOCKED_TEST(ch.try_send(error_code(), i));
    });
    run(ctx);
    outside.join();
    BOOST_TEST(received == count);
}

CONTEXT_TEST_CASE(cancel_ends_a_receive, s)
{
    context ctx(s);
    concurrent_channel ch(ctx);
    error_code seen;
    ch.async_receive([&](error_code ec, int) { seen = ec; });
    asio::post(ctx, [&] { ch.cancel(); });
    run(ctx);
    BOOST_TEST((seen == asio::experimental::error::channel_cancelled));
}

BOOST_AUTO_TEST_SUITE_END()
