// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A client that is not served is told so.

#include "serve_support.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <string_view>

#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes the operators of a coroutine's frame for a mismatch, depending on what it inlines.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

using namespace support;

BOOST_AUTO_TEST_SUITE(serve_answer)

namespace {

// tag::answer[]
asio::awaitable<void> read_to_the_end(asio::ip::tcp::socket& socket)
{
    boost::system::error_code end;
    for (char rest[512]; !end;)
        co_await socket.async_read_some(
            asio::buffer(rest), asio::redirect_error(asio::use_awaitable, end));
}

// What the client has sent is read, for a second at most: a socket that is closed before would take
// the answer with it.
asio::awaitable<void> answer_and_leave(asio::ip::tcp::socket socket, std::string_view answer)
{
    using namespace asio::experimental::awaitable_operators;
    asio::steady_timer timer(co_await asio::this_coro::executor, 1s);
    co_await asio::async_write(socket, asio::buffer(answer), asio::use_awaitable);
    socket.shutdown(asio::ip::tcp::socket::shutdown_send);
    co_await (read_to_the_end(socket) || timer.async_wait(asio::use_awaitable));
}
// end::answer[]

BOOST_AUTO_TEST_CASE(a_client_that_is_not_served_is_told_so)
{
    std::atomic<bool> is_too_much{true};
    auto const overloaded = [&] { return is_too_much.load(); };
    // tag::choose[]
    auto const session = [&](asio::ip::tcp::socket s) {
        return overloaded() ? answer_and_leave(std::move(s), "-") : echo(std::move(s));
    };
    // end::choose[]
    outcome over;
    ewyk::event_loop_group loops(1);
    auto acceptor = acceptor_of(loops);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), loops, session, {}, over.token());
    {
        client c(where);
        BOOST_TEST(c.ask() == '-');
        BOOST_TEST(c.receive() == lost);
    }
    is_too_much = false;
    client c(where);
    BOOST_TEST(c.ask() == 'x');
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
