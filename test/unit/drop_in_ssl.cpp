// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// TLS streams on a strategy_context. The certificate is made here, and is not checked.

#include "support.hpp"

#include <boost/asio/ssl.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include <openssl/x509.h>

using namespace support;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;
using boost::system::error_code;
namespace ssl = boost::asio::ssl;

namespace {

using tls_stream = ssl::stream<tcp::socket>;
using concrete_tls_stream = ssl::stream<asio::basic_stream_socket<tcp, asio::strand<executor>>>;

struct tls_contexts
{
    tls_contexts()
    {
        std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> const key(
            EVP_EC_gen("P-256"), &EVP_PKEY_free);
        std::unique_ptr<X509, decltype(&X509_free)> const x509(X509_new(), &X509_free);
        X509_gmtime_adj(X509_getm_notBefore(x509.get()), -60 * 60);
        X509_gmtime_adj(X509_getm_notAfter(x509.get()), 60 * 60);
        X509_set_pubkey(x509.get(), key.get());
        X509_sign(x509.get(), key.get(), EVP_sha256());
        SSL_CTX_use_certificate(server.native_handle(), x509.get());
        SSL_CTX_use_PrivateKey(server.native_handle(), key.get());
    }

    ssl::context server{ssl::context::tls_server};
    ssl::context client{ssl::context::tls_client};
};

tcp::endpoint tls_port() { return {asio::ip::address_v4::loopback(), 0}; }

template <class Stream>
awaitable<void> echo_over_tls(Stream stream, std::atomic<int>& ended)
{
    co_await stream.async_handshake(Stream::server, use_awaitable);
    std::array<char, 4000> data;
    error_code ec;
    while (!ec)
    {
        auto token = asio::redirect_error(use_awaitable, ec);
        auto const size = co_await stream.async_read_some(asio::buffer(data), token);
        if (!ec)
            co_await asio::async_write(stream, asio::buffer(data, size), token);
    }
    LOCKED_TEST((ec == asio::error::eof), ec.message());
    co_await stream.async_shutdown(use_awaitable);
    ++ended;
}

// Writes and reads at the same time, more than the system buffers, so that either must wait.
template <class Stream>
awaitable<void> send_and_receive(Stream stream, tcp::endpoint where, std::atomic<int>& right)
{
    auto const on = co_await asio::this_coro::executor;
    co_await stream.lowest_layer().async_connect(where, use_awaitable);
    co_await stream.async_handshake(Stream::client, use_awaitable);
    std::string sent(3'000'000, '\0');
    for (std::size_t i = 0; i < sent.size(); ++i)
        sent[i] = static_cast<char>(i * i / 7);
    std::string received(sent.size(), '\0');
    asio::co_spawn(
        on,
        [&]() -> awaitable<void> {
            co_await asio::async_write(stream, asio::buffer(sent), use_awaitable);
        },
        asio::detached);
    co_await asio::async_read(stream, asio::buffer(received), use_awaitable);
    right += received == sent;
    co_await stream.async_shutdown(use_awaitable);
}

template <class Stream>
void tls_round_trips(context& ctx)
{
    constexpr int clients = 3;
    tls_contexts tls;
    std::atomic<int> ended{0};
    std::atomic<int> right{0};
    tcp::acceptor acceptor(ctx, tls_port());
    auto const fail = [](std::exception_ptr e) {
        LOCKED_TEST(!e, "a coroutine ended with an exception");
    };
    asio::co_spawn(
        ctx,
        [&]() -> awaitable<void> {
            for (int i = 0; i < clients; ++i)
            {
                Stream stream(asio::make_strand(ctx.get_executor()), tls.server);
                co_await acceptor.async_accept(stream.lowest_layer(), use_awaitable);
                auto const on = stream.get_executor();
                asio::co_spawn(on, echo_over_tls(std::move(stream), ended), fail);
            }
        },
        fail);
    for (int i = 0; i < clients; ++i)
    {
        auto const on = asio::make_strand(ctx.get_executor());
        asio::co_spawn(on,
            send_and_receive(Stream(on, tls.client), acceptor.local_endpoint(), right), fail);
    }
    run(ctx);
    BOOST_TEST(right == clients);
    BOOST_TEST(ended == clients);
}

}

BOOST_AUTO_TEST_SUITE(drop_in_ssl)

CONTEXT_TEST_CASE(both_directions_at_a_time, s)
{
    context ctx(s);
    tls_round_trips<tls_stream>(ctx);
}

CONTEXT_TEST_CASE(a_stream_of_the_concrete_executor, s)
{
    context ctx(s);
    tls_round_trips<concrete_tls_stream>(ctx);
}

CONTEXT_TEST_CASE(a_handshake_is_cancelled, s)
{
    context ctx(s);
    tls_contexts tls;
    auto const strand = asio::make_strand(ctx);
    tcp::acceptor silent(ctx, tls_port());
    tls_stream stream(strand, tls.client);
    error_code result;
    stream.lowest_layer().connect(silent.local_endpoint());
    stream.async_handshake(tls_stream::client, [&](error_code ec) { result = ec; });
    asio::steady_timer timer(strand, 20ms);
    timer.async_wait([&](error_code) { stream.lowest_layer().cancel(); });
    run(ctx);
    BOOST_TEST((result == asio::error::operation_aborted), result.message());
}

BOOST_AUTO_TEST_SUITE_END()
