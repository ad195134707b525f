// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Composed operations: their intermediate handlers go through the context like any other.

#include "support.hpp"

#include <algorithm>
#include <array>
#include <string>

using namespace support;
using asio::ip::tcp;
using boost::system::error_code;
using local_socket = asio::local::stream_protocol::socket;

namespace {

struct socket_pair
{
    explicit socket_pair(context& ctx) : a(ctx), b(ctx) { asio::local::connect_pair(a, b); }

    local_socket a;
    local_socket b;
};

/// Waits n times on a timer, then completes with the sum of 1..n.
template <class Token>
auto async_count(asio::steady_timer& timer, int n, Token&& token)
{
    return asio::async_compose<Token, void(error_code, int)>(
        [&timer, n, i = 0, sum = 0](auto& self, error_code ec = {}) mutable {
            if (ec || i == n)
                return self.complete(ec, sum);
            sum += ++i;
            timer.expires_after(100us);
            timer.async_wait(std::move(self));
        },
        token, timer);
}

}

BOOST_AUTO_TEST_SUITE(drop_in_composed)

CONTEXT_TEST_CASE(read_until_finds_every_line, s)
{
    constexpr int lines = 200;
    context ctx(s);
    socket_pair pair(ctx);
    std::string out;
    for (int i = 0; i < lines; ++i)
        out += "line " + std::to_string(i) + '\n';
    asio::async_write(pair.a, asio::buffer(out), [&](error_code ec, std::size_t) {
        LOCKED_TEST(!ec, ec.message());
        pair.a.shutdown(local_socket::shutdown_send);
    });

    std::string in;
    std::vector<std::string> seen;
    error_code end;
    struct reader
    {
        local_socket& socket;
        std::string& in;
        std::vector<std::string>& seen;
        error_code& end;

        void operator()(error_code ec, std::size_t n) const
        {
            if (ec)
            {
                end = ec;
                return;
            }
            seen.push_back(in.substr(0, n));
            in.erase(0, n);
            next();
        }

        void next() const { asio::async_read_until(socket, asio::dynamic_buffer(in), '\n', *this); }
    };
    reader{pair.b, in, seen, end}.next();
    run(ctx);
    BOOST_TEST((end == asio::error::eof));
    BOOST_TEST_REQUIRE(seen.size() == static_cast<std::size_t>(lines));
    for (int i = 0; i < lines; ++i)
        BOOST_TEST(seen[static_cast<std::size_t>(i)] == "line " + std::to_string(i) + '\n');
}

CONTEXT_TEST_CASE(writes_and_reads_a_mebibyte, s)
{
    context ctx(s);
    tcp::acceptor acceptor(ctx, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    tcp::socket client(ctx);
    tcp::socket server(ctx);
    std::string out(std::size_t{1} << 20, '\0');
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<char>(i * 31 % 251);
    std::string in(out.size(), '\0');
    std::size_t written = 0;
    std::size_t read = 0;
    acceptor.async_accept(server, [&](error_code ec) {
        LOCKED_TEST(!ec, ec.message());
        asio::async_read(server, asio::buffer(in), [&](error_code e, std::size_t n) {
            LOCKED_TEST(!e, e.message());
            read = n;
        });
    });
    client.async_connect(acceptor.local_endpoint(), [&](error_code ec) {
        LOCKED_TEST(!ec, ec.message());
        asio::async_write(client, asio::buffer(out), [&](error_code e, std::size_t n) {
            LOCKED_TEST(!e, e.message());
            written = n;
        });
    });
    run(ctx);
    BOOST_TEST(written == out.size());
    BOOST_TEST(read == out.size());
    BOOST_TEST((in == out));
}

CONTEXT_TEST_CASE(reads_exactly_into_several_buffers, s)
{
    context ctx(s);
    socket_pair pair(ctx);
    std::array<char, 3> head{};
    std::array<char, 5> body{};
    std::array<asio::mutable_buffer, 2> const parts{asio::buffer(head), asio::buffer(body)};
    std::size_t read = 0;
    asio::async_read(pair.b, parts, [&](error_code ec, std::size_t n) {
        LOCKED_TEST(!ec, ec.message());
        read = n;
    });
    struct sender // a byte at a time: the read needs many completions
    {
        local_socket& socket;
        char const* next;

        void operator()(error_code ec = {}, std::size_t = 0)
        {
            LOCKED_TEST(!ec, ec.message());
            if (*next == '\0')
                return;
            auto const byte = asio::buffer(next++, 1);
            asio::async_write(socket, byte, *this);
        }
    };
    sender{pair.a, "abcdefgh"}();
    run(ctx);
    BOOST_TEST(read == 8u);
    BOOST_TEST(std::string(head.data(), 3) == "abc");
    BOOST_TEST(std::string(body.data(), 5) == "defgh");
}

CONTEXT_TEST_CASE(async_compose_with_a_handler, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx);
    int result = 0;
    async_count(timer, 20, [&](error_code ec, int sum) { result = ec ? -1 : sum; });
    run(ctx);
    BOOST_TEST(result == 210);
}

CONTEXT_TEST_CASE(async_compose_with_other_tokens, s)
{
    context ctx(s);
    asio::steady_timer first(ctx);
    asio::steady_timer second(ctx);
    auto future = async_count(first, 10, asio::use_future);
    int awaited = 0;
    asio::co_spawn(
        ctx,
        [&]() -> asio::awaitable<void> {
            awaited = co_await async_count(second, 5, asio::use_awaitable);
        },
        asio::detached);
    run(ctx);
    BOOST_TEST(future.get() == 55);
    BOOST_TEST(awaited == 15);
}

// Every intermediate handler of a composed operation runs on the executor of the final one.
CONTEXT_TEST_CASE(async_compose_keeps_to_the_strand_of_its_handler, s)
{
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    asio::steady_timer timer(ctx);
    int outside = 0;
    int steps = 0;
    bool done = false;
    auto step = [&, left = 10](auto& self, error_code ec = {}) mutable {
        if (steps++ > 0 && !strand.running_in_this_thread())
            ++outside;
        if (ec || left-- == 0)
            return self.complete(ec);
        timer.expires_after(100us);
        timer.async_wait(std::move(self));
    };
    auto handler = asio::bind_executor(strand, [&](error_code ec) {
        done = !ec;
        if (!strand.running_in_this_thread())
            ++outside;
    });
    asio::async_compose<decltype(handler), void(error_code)>(std::move(step), handler, timer);
    run(ctx);
    BOOST_TEST(done);
    BOOST_TEST(steps == 11);
    BOOST_TEST(outside == 0);
}

CONTEXT_TEST_CASE(connects_to_the_first_endpoint_that_listens, s)
{
    context ctx(s);
    tcp::endpoint const any(asio::ip::address_v4::loopback(), 0);
    auto const nobody = tcp::acceptor(ctx, any).local_endpoint();
    tcp::acceptor acceptor(ctx, any);
    std::array<tcp::endpoint, 3> const endpoints{nobody, nobody, acceptor.local_endpoint()};
    tcp::socket socket(ctx);
    tcp::endpoint reached;
    bool accepted = false;
    acceptor.async_accept([&](error_code ec, tcp::socket) { accepted = !ec; });
    asio::async_connect(socket, endpoints, [&](error_code ec, tcp::endpoint const& at) {
        LOCKED_TEST(!ec, ec.message());
        reached = at;
    });
    run(ctx);
    BOOST_TEST(reached == acceptor.local_endpoint());
    BOOST_TEST(accepted);
}

BOOST_AUTO_TEST_SUITE_END()
