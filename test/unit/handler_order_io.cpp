// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The order of posts and completions of sockets: as an io_context's?
//
// Most sockets are local ones: what one end writes is ready at the other end at once, and with TCP
// the system may take its time. A resolver is left out. Asio completes it by way of a thread of its
// own, also for a numeric host, so its place among other handlers is not determined.

#include "handler_order_support.hpp"

BOOST_AUTO_TEST_SUITE(handler_order_io)

namespace {

using namespace support;
using asio::ip::tcp;
using asio::ip::udp;
using boost::system::error_code;

template <class Protocol>
struct pair_of
{
    template <class Context>
    explicit pair_of(Context& ctx) : near(ctx), far(ctx)
    {
        asio::local::connect_pair(near, far);
    }

    typename Protocol::socket near;
    typename Protocol::socket far;
    std::array<char, 8> data{};
};

using stream_pair = pair_of<asio::local::stream_protocol>;
using datagram_pair = pair_of<asio::local::datagram_protocol>;

auto const one_byte = asio::buffer("1", 1);

// Ends.

ORDER_TEST_CASE(a_socket_cancelled_before_a_post)
{
    stream_pair pair(ctx);
    pair.near.async_read_some(asio::buffer(pair.data), ran("r"));
    in_one_handler(ctx, ran, [&] {
        pair.near.cancel();
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(a_socket_closed_before_a_post)
{
    stream_pair pair(ctx);
    pair.near.async_read_some(asio::buffer(pair.data), ran("r"));
    in_one_handler(ctx, ran, [&] {
        pair.near.close();
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(a_socket_of_base_cancelled_before_a_post_to_base)
{
    stream_pair pair(static_cast<asio::io_context&>(ctx));
    pair.near.async_read_some(asio::buffer(pair.data), ran("r"));
    in_one_handler(ctx, ran, [&] {
        pair.near.cancel();
        asio::post(base_executor(ctx), ran("p"));
    });
}

ORDER_TEST_CASE(a_socket_and_a_timer_cancelled_between_posts)
{
    stream_pair pair(ctx);
    asio::steady_timer timer(ctx, 1h);
    pair.near.async_read_some(asio::buffer(pair.data), ran("r"));
    timer.async_wait(ran("t"));
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        timer.cancel();
        pair.near.cancel();
        asio::post(ctx, ran("q"));
    });
}

ORDER_TEST_CASE(a_cancelled_operation_of_two)
{
    stream_pair pair(ctx);
    asio::cancellation_signal signal;
    pair.near.async_read_some(
        asio::buffer(pair.data), asio::bind_cancellation_slot(signal.slot(), ran("r")));
    pair.far.async_read_some(asio::buffer(pair.data), ran("R"));
    in_one_handler(ctx, ran, [&] {
        signal.emit(asio::cancellation_type::total);
        asio::post(ctx, ran("p"));
        pair.far.cancel();
    });
}

// At once.

ORDER_TEST_CASE(a_write_that_succeeds_before_a_post)
{
    stream_pair pair(ctx);
    in_one_handler(ctx, ran, [&] {
        pair.near.async_write_some(one_byte, ran("w"));
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(a_read_that_succeeds_before_a_post)
{
    stream_pair pair(ctx);
    pair.far.write_some(one_byte);
    in_one_handler(ctx, ran, [&] {
        pair.near.async_read_some(asio::buffer(pair.data), ran("r"));
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(a_read_of_a_closed_socket_before_a_post)
{
    stream_pair pair(ctx);
    pair.near.close();
    in_one_handler(ctx, ran, [&] {
        pair.near.async_read_some(asio::buffer(pair.data), ran("e"));
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(a_read_at_the_end_before_a_post)
{
    stream_pair pair(ctx);
    pair.far.close();
    in_one_handler(ctx, ran, [&] {
        pair.near.async_read_some(asio::buffer(pair.data), ran("e"));
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(a_write_that_fails_before_a_post)
{
    stream_pair pair(ctx);
    pair.far.close();
    in_one_handler(ctx, ran, [&] {
        pair.near.async_write_some(one_byte, ran("e"));
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(reads_and_writes_of_0_bytes_between_posts)
{
    stream_pair pair(ctx);
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        pair.near.async_read_some(asio::mutable_buffer(), ran("r"));
        asio::post(ctx, ran("q"));
        pair.near.async_write_some(asio::const_buffer(), ran("w"));
        asio::post(ctx, ran("o"));
    });
}

ORDER_TEST_CASE(a_wait_for_a_ready_socket_before_a_post)
{
    stream_pair pair(ctx);
    in_one_handler(ctx, ran, [&] {
        pair.near.async_wait(asio::socket_base::wait_write, ran("w"));
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(datagrams_between_posts)
{
    datagram_pair pair(ctx);
    in_one_handler(ctx, ran, [&] {
        asio::post(ctx, ran("p"));
        pair.near.async_send(one_byte, ran("s"));
        pair.far.async_receive(asio::buffer(pair.data), ran("r"));
        asio::post(ctx, ran("q"));
    });
}

ORDER_TEST_CASE(a_composed_write_before_posts)
{
    stream_pair pair(ctx);
    in_one_handler(ctx, ran, [&] {
        asio::async_write(pair.near, one_byte, ran("w"));
        asio::post(ctx, [&] {
            ran.add("p");
            asio::post(ctx, ran("q"));
        });
    });
}

// By way of the reactor.

ORDER_TEST_CASE(two_sockets_become_ready_before_posts)
{
    stream_pair one(ctx);
    stream_pair other(ctx);
    one.near.async_read_some(asio::buffer(one.data), ran("1"));
    other.near.async_read_some(asio::buffer(other.data), ran("2"));
    in_one_handler(ctx, ran, [&] {
        other.far.write_some(one_byte);
        one.far.write_some(one_byte);
        asio::post(ctx, [&] {
            ran.add("p");
            asio::post(ctx, ran("q"));
        });
    });
}

// What the handlers of one round of completions post comes after the round.
ORDER_TEST_CASE(sockets_that_become_ready_and_post)
{
    stream_pair one(ctx);
    stream_pair other(ctx);
    one.near.async_read_some(asio::buffer(one.data), [&](error_code, std::size_t) {
        ran.add("1");
        asio::post(ctx, ran("p"));
    });
    other.near.async_read_some(asio::buffer(other.data), [&](error_code, std::size_t) {
        ran.add("2");
        asio::post(ctx, ran("q"));
    });
    in_one_handler(ctx, ran, [&] {
        one.far.write_some(one_byte);
        other.far.write_some(one_byte);
    });
}

#if defined(BOOST_ASIO_HAS_EPOLL) // select() takes no hang-up for an error
ORDER_TEST_CASE(a_read_and_a_wait_that_become_ready_at_once)
{
    stream_pair pair(ctx);
    pair.near.async_read_some(asio::buffer(pair.data), ran("r"));
    pair.near.async_wait(asio::socket_base::wait_error, ran("e"));
    in_one_handler(ctx, ran, [&] {
        pair.far.close();
        asio::post(ctx, ran("p"));
    });
}
#endif

ORDER_TEST_CASE(an_echo_between_posts)
{
    stream_pair pair(ctx);
    in_one_handler(ctx, ran, [&] {
        asio::async_read(pair.far, asio::buffer(pair.data, 2), ran("r"));
        asio::async_write(pair.near, one_byte, [&](error_code, std::size_t) {
            ran.add("w");
            asio::post(ctx, ran("p"));
            asio::async_write(pair.near, one_byte, ran("W"));
            asio::post(ctx, ran("q"));
        });
    });
}

ORDER_TEST_CASE(coroutines_that_read_and_write)
{
    stream_pair pair(ctx);
    auto const writes = [&]() -> asio::awaitable<void> {
        for (int i = 0; i != 3; ++i)
        {
            ran.add("w");
            co_await pair.near.async_write_some(one_byte, asio::use_awaitable);
        }
        pair.near.close();
    };
    auto const reads = [&]() -> asio::awaitable<void> {
        error_code ec;
        while (!ec)
        {
            co_await pair.far.async_read_some(
                asio::buffer(pair.data, 1), asio::redirect_error(asio::use_awaitable, ec));
            ran.add("r");
        }
    };
    in_one_handler(ctx, ran, [&] {
        asio::co_spawn(ctx, reads, asio::detached);
        asio::co_spawn(ctx, writes, asio::detached);
        asio::post(ctx, ran("p"));
    });
}

// Connections.

ORDER_TEST_CASE(an_accept_that_succeeds_before_a_post)
{
    tcp::acceptor acceptor(ctx, {asio::ip::address_v4::loopback(), 0});
    tcp::socket client(ctx);
    client.connect(acceptor.local_endpoint());
    acceptor.wait(asio::socket_base::wait_read);
    in_one_handler(ctx, ran, [&] {
        acceptor.async_accept(ran("a"));
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(an_acceptor_closed_before_a_post)
{
    tcp::acceptor acceptor(ctx, {asio::ip::address_v4::loopback(), 0});
    acceptor.async_accept(ran("a"));
    in_one_handler(ctx, ran, [&] {
        acceptor.close();
        asio::post(ctx, ran("p"));
    });
}

// Of UDP, as that never waits.
ORDER_TEST_CASE(a_connect_that_succeeds_before_a_post)
{
    udp::socket socket(ctx);
    in_one_handler(ctx, ran, [&] {
        socket.async_connect({asio::ip::address_v4::loopback(), 9}, ran("c"));
        asio::post(ctx, ran("p"));
    });
}

ORDER_TEST_CASE(a_connect_that_fails_before_a_post)
{
    tcp::socket socket(ctx, tcp::v4());
    in_one_handler(ctx, ran, [&] {
        socket.async_connect({asio::ip::address_v6::loopback(), 9}, ran("e"));
        asio::post(ctx, ran("p"));
    });
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
