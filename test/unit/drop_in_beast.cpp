// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Boost.Beast over a strategy_context: streams with timeouts, and HTTP.

#include "support.hpp"

#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/version.hpp>

#include <array>
#include <string>

namespace beast = boost::beast;
namespace http = boost::beast::http;
using namespace support;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;
using beast::error_code;

namespace {

// A stream with a timeout has a timer beside its socket: the two meet on a strand.
using concrete_stream = beast::basic_stream<tcp, asio::strand<executor>>;

tcp::endpoint unused_port() { return {asio::ip::address_v4::loopback(), 0}; }

/// Answers each request with its own target, until the client closes.
template <class Stream>
awaitable<void> serve(Stream stream, std::atomic<int>& served)
{
    beast::flat_buffer buffer;
    for (;;)
    {
        http::request<http::string_body> request;
        error_code ec;
        stream.expires_after(patience);
        co_await http::async_read(stream, buffer, request, asio::redirect_error(use_awaitable, ec));
        if (ec == http::error::end_of_stream)
            break;
        LOCKED_TEST(!ec, ec.message());
        if (ec)
            break;
        http::response<http::string_body> response(http::status::ok, request.version());
        response.keep_alive(request.keep_alive());
        response.body() = std::string(request.target());
        response.prepare_payload();
        co_await http::async_write(stream, response, use_awaitable);
        ++served;
    }
    error_code ignored;
    stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
}

template <class Stream>
awaitable<void> ask(Stream stream, tcp::endpoint peer, int requests, std::atomic<int>& answered)
{
    beast::flat_buffer buffer;
    stream.expires_after(patience);
    co_await stream.async_connect(peer, use_awaitable);
    for (int i = 0; i < requests; ++i)
    {
        http::request<http::empty_body> request(http::verb::get, "/" + std::to_string(i), 11);
        request.set(http::field::host, "localhost");
        stream.expires_after(patience);
        co_await http::async_write(stream, request, use_awaitable);
        http::response<http::string_body> response;
        co_await http::async_read(stream, buffer, response, use_awaitable);
        LOCKED_TEST(response.body() == "/" + std::to_string(i));
        ++answered;
    }
    stream.socket().shutdown(tcp::socket::shutdown_both);
}

template <class Stream>
void http_round_trips(context& ctx)
{
    constexpr int clients = 6;
    constexpr int requests = 20;
    std::atomic<int> served{0};
    std::atomic<int> answered{0};
    tcp::acceptor acceptor(ctx, unused_port());
    auto const fail = [](std::exception_ptr e) {
        LOCKED_TEST(!e, "a coroutine ended with an exception");
    };

    asio::co_spawn(
        ctx,
        [&]() -> awaitable<void> {
            for (int i = 0; i < clients; ++i)
            {
                auto const on_strand = asio::make_strand(ctx.get_executor());
                typename Stream::socket_type socket(on_strand);
                co_await acceptor.async_accept(socket, use_awaitable);
                asio::co_spawn(on_strand, serve(Stream(std::move(socket)), served), fail);
            }
        },
        fail);
    for (int i = 0; i < clients; ++i)
    {
        auto const on_strand = asio::make_strand(ctx.get_executor());
        asio::co_spawn(
            on_strand, ask(Stream(on_strand), acceptor.local_endpoint(), requests, answered), fail);
    }
    run(ctx);
    BOOST_TEST(served == clients * requests);
    BOOST_TEST(answered == clients * requests);
}

}

BOOST_AUTO_TEST_SUITE(drop_in_beast)

CONTEXT_TEST_CASE(http_over_tcp_stream, s)
{
    context ctx(s);
    http_round_trips<beast::tcp_stream>(ctx);
}

CONTEXT_TEST_CASE(http_over_a_stream_of_the_concrete_executor, s)
{
    context ctx(s);
    http_round_trips<concrete_stream>(ctx);
}

// The peer accepts and stays silent: only the timeout can end the read.
CONTEXT_TEST_CASE(a_silent_peer_times_out, s)
{
    context ctx(s);
    tcp::acceptor acceptor(ctx, unused_port());
    beast::tcp_stream stream(asio::make_strand(ctx));
    tcp::socket peer(ctx);
    std::array<char, 16> buffer{};
    error_code result;
    acceptor.async_accept(peer, [](error_code ec) { LOCKED_TEST(!ec, ec.message()); });
    stream.expires_after(patience);
    stream.async_connect(acceptor.local_endpoint(), [&](error_code connected) {
        LOCKED_TEST(!connected, connected.message());
        stream.expires_after(30ms);
        stream.async_read_some(
            asio::buffer(buffer), [&](error_code ec, std::size_t) { result = ec; });
    });
    run(ctx);
    BOOST_TEST((result == beast::error::timeout));
    BOOST_TEST(!stream.socket().is_open());
}

CONTEXT_TEST_CASE(a_timeout_that_is_not_reached_changes_nothing, s)
{
    context ctx(s);
    tcp::acceptor acceptor(ctx, unused_port());
    beast::tcp_stream stream(asio::make_strand(ctx));
    tcp::socket peer(ctx);
    std::string read;
    acceptor.async_accept(peer, [&](error_code ec) {
        LOCKED_TEST(!ec, ec.message());
        asio::write(peer, asio::buffer("hello", 5));
        peer.close();
    });
    asio::co_spawn(
        stream.get_executor(),
        [&]() -> awaitable<void> {
            stream.expires_after(patience);
            co_await stream.async_connect(acceptor.local_endpoint(), use_awaitable);
            error_code ec;
            co_await asio::async_read(
                stream, asio::dynamic_buffer(read), asio::redirect_error(use_awaitable, ec));
            LOCKED_TEST((ec == asio::error::eof));
        },
        asio::detached);
    run(ctx);
    BOOST_TEST(read == "hello");
}

BOOST_AUTO_TEST_SUITE_END()
