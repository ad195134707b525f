// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The order of posts, pipes and signals: as an io_context's?

#include "handler_order_support.hpp"

#include <csignal>

BOOST_AUTO_TEST_SUITE(handler_order_descriptors)

namespace {

using namespace support;
using boost::system::error_code;

auto const one_byte = asio::buffer("1", 1);

// Pipes.

struct pipe_ends
{
    template <class Context>
    explicit pipe_ends(Context& ctx) : out(ctx), in(ctx)
    {
        asio::connect_pipe(out, in);
    }

    asio::readable_pipe out;
    asio::writable_pipe in;
    std::array<char, 8> data{};
};

ORDER_TEST_CASE(a_pipe_written_and_read_between_posts)
{
    pipe_ends pipe(ctx);
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        pipe.in.async_write_some(one_byte, ran("w"));
        asio::post(ctx, ran("q"));
        pipe.out.async_read_some(asio::buffer(pipe.data), ran("r"));
        asio::post(ctx, ran("o"));
    });
}

ORDER_TEST_CASE(a_pipe_that_becomes_ready_before_posts)
{
    pipe_ends pipe(ctx);
    pipe.out.async_read_some(asio::buffer(pipe.data), ran("r"));
    in_one_handler(ctx, ran, [&] {
        pipe.in.write_some(one_byte);
        asio::post(ctx, [&] {
            ran.add("p");
            asio::post(ctx, ran("q"));
        });
    });
}

ORDER_TEST_CASE(a_pipe_cancelled_before_a_post)
{
    pipe_ends pipe(ctx);
    pipe.out.async_read_some(asio::buffer(pipe.data), ran("r"));
    in_one_handler(ctx, ran, [&] {
        pipe.out.cancel();
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(a_descriptor_cancelled_before_a_post)
{
    pipe_ends pipe(ctx);
    asio::posix::stream_descriptor descriptor(ctx, pipe.out.release());
    descriptor.async_wait(asio::posix::stream_descriptor::wait_read, ran("d"));
    in_one_handler(ctx, ran, [&] {
        descriptor.cancel();
        asio::post(ctx, ran("p"));
    });
}

// Signals.

ORDER_TEST_CASE(a_signal_set_cancelled_before_a_post)
{
    asio::signal_set signals(ctx, SIGUSR1);
    signals.async_wait(ran("s"));
    in_one_handler(ctx, ran, [&] {
        signals.cancel();
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(a_raised_signal_before_posts)
{
    asio::signal_set signals(ctx, SIGUSR1);
    signals.async_wait(ran("s"));
    in_one_handler(ctx, ran, [&] {
        std::raise(SIGUSR1);
        asio::post(ctx, [&] {
            ran.add("p");
            asio::post(ctx, [&] {
                ran.add("q");
                asio::post(ctx, ran("o"));
            });
        });
    });
}

ORDER_TEST_CASE(two_raised_signals_between_posts)
{
    asio::signal_set first(ctx, SIGUSR1);
    asio::signal_set second(ctx, SIGUSR2);
    first.async_wait(ran("1"));
    second.async_wait(ran("2"));
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        std::raise(SIGUSR2);
        std::raise(SIGUSR1);
        asio::post(ctx, [&] {
            ran.add("q");
            asio::post(ctx, ran("o"));
        });
    });
}

// Asio keeps it for the next wait.
ORDER_TEST_CASE(a_signal_that_has_come_before_the_wait)
{
    asio::signal_set signals(ctx, SIGUSR1);
    signals.async_wait([&](error_code, int) {
        ran.add("s");
        signals.async_wait(ran("S"));
        asio::post(ctx, ran("p"));
    });
    in_one_handler(ctx, ran, [&] {
        std::raise(SIGUSR1);
        std::raise(SIGUSR1);
    });
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
