// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// An echo server with TLS: clients that do not shake hands, or are silent, are sent away in time,
// and at the end each connection is closed by TLS's own farewell, so that its client knows that
// nothing is missing. The clients are in this program.

#include "certificate.hpp"

#include <asio_ewyk/loop/event_loop_group.hpp>
#include <asio_ewyk/server/serve.hpp>

#include <boost/asio.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/ssl.hpp>

#include <array>
#include <chrono>
#include <exception>
#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace {

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
namespace ssl = asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;
using stream = ssl::stream<tcp::socket>;
using namespace std::chrono_literals;

// tag::session[]
struct limits
{
    std::chrono::nanoseconds handshake = 10s;
    std::chrono::nanoseconds idle = 60s;
    std::chrono::nanoseconds farewell = 5s;
};

// The operation's error, and its size if it has one; timed_out if it takes longer. What is emitted
// to the coroutine cancels the operation, too. For one thread at a time, as an event loop has.
template <class Operation>
asio::awaitable<std::pair<error_code, std::size_t>> within(
    std::chrono::nanoseconds limit, Operation operation)
{
    asio::steady_timer timer(co_await asio::this_coro::executor, limit);
    auto race = asio::experimental::make_parallel_group(
        std::move(operation), timer.async_wait(asio::deferred));
    auto const result =
        co_await race.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    constexpr auto last = std::tuple_size_v<std::remove_cvref_t<decltype(result)>> - 1;
    std::pair ended(std::get<1>(result), std::size_t{0});
    if constexpr (last == 3)
        ended.second = std::get<2>(result);
    if (ended.first && !std::get<last>(result))
        ended.first = asio::error::timed_out;
    co_return ended;
}

asio::awaitable<bool> is_told_to_end()
{
    auto const state = co_await asio::this_coro::cancellation_state;
    co_return state.cancelled() != asio::cancellation_type::none;
}

// The end of the service is told by `total`, and a stream of TLS heeds only `terminal`.
asio::cancellation_type as_terminal(asio::cancellation_type told)
{
    return told == asio::cancellation_type::none ? told : asio::cancellation_type::terminal;
}

asio::awaitable<void> session(tcp::socket socket, ssl::context& tls, limits const& limit)
{
    co_await asio::this_coro::throw_if_cancelled(false);
    co_await asio::this_coro::reset_cancellation_state(as_terminal);

    stream client(std::move(socket), tls);
    auto const [error, none] = co_await within(
        limit.handshake, client.async_handshake(stream::server, asio::deferred));
    if (error)
        co_return;

    std::array<char, 1024> data;
    for (bool over = false; !over; over = co_await is_told_to_end())
    {
        co_await asio::this_coro::reset_cancellation_state(as_terminal);
        auto const [ended, size] = co_await within(
            limit.idle, client.async_read_some(asio::buffer(data), asio::deferred));
        if (ended)
            break;
        // `total` does not end an answer that is being written, but is seen after it.
        co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
        auto const [failed, written] = co_await asio::async_write(
            client, asio::buffer(data, size), asio::as_tuple(asio::use_awaitable));
        if (failed)
            co_return;
    }

    co_await asio::this_coro::reset_cancellation_state(); // `terminal` only
    co_await within(limit.farewell, client.async_shutdown(asio::deferred));
}
// end::session[]

class server
{
public:
    server(certificate const& identity, limits const& limit)
        : limit_(limit)
    {
        identity.identify(tls_);
        tcp::acceptor acceptor(boss_.next(), {asio::ip::address_v4::loopback(), 0});
        acceptor.set_option(tcp::no_delay(true)); // on Linux the clients' sockets have it from it
        where_ = acceptor.local_endpoint();
        // tag::serve[]
        served_ = ewyk::serve(
            std::move(acceptor), workers_,
            [this](tcp::socket s) { return session(std::move(s), tls_, limit_); },
            {.drain = 10s, .cancel_sessions = true},
            asio::bind_cancellation_slot(stop_.slot(), asio::use_future));
        // end::serve[]
    }

    tcp::endpoint where() const { return where_; }

    void begin_to_drain() { stop_.emit(asio::cancellation_type::total); }

    // After the last session.
    void wait() { served_.get(); }

private:
    limits const limit_;
    ssl::context tls_{ssl::context::tls_server};
    tcp::endpoint where_;
    asio::cancellation_signal stop_;
    std::future<void> served_;
    ewyk::event_loop_group workers_{2}, boss_{1};
};

// Waits for what the server does: nothing comes of itself but an end.
class client
{
public:
    client(tcp::endpoint const& where, certificate const& trusted)
    {
        trusted.trust(tls_);
        stream_ = std::make_unique<stream>(context_, tls_);
        stream_->next_layer().connect(where);
    }

    void shake_hands() { stream_->handshake(stream::client); }

    std::string ask(std::string const& question)
    {
        std::string answer(question.size(), ' ');
        asio::write(*stream_, asio::buffer(question));
        asio::read(*stream_, asio::buffer(answer));
        return answer;
    }

    // Whether the end was that of TLS, after which nothing is missing.
    bool hears_farewell()
    {
        char c;
        error_code error, ignored;
        stream_->read_some(asio::buffer(&c, 1), error);
        bool const heard = error == asio::error::eof;
        stream_->shutdown(ignored); // the server may not wait for it
        return heard;
    }

    bool is_cut_off()
    {
        char c;
        error_code error;
        stream_->next_layer().read_some(asio::buffer(&c, 1), error);
        return bool(error);
    }

private:
    asio::io_context context_;
    ssl::context tls_{ssl::context::tls_client};
    std::unique_ptr<stream> stream_;
};

bool show(char const* what, bool is_so)
{
    std::cout << what << (is_so ? "\n" : ": NO\n");
    return is_so;
}

} // namespace

int main()
try
{
    certificate const identity;
    bool good = true;
    {
        server s(identity, {.handshake = 20ms});
        client silent(s.where(), identity);
        good &= show("who does not shake hands is cut off", silent.is_cut_off());
        s.begin_to_drain();
        s.wait();
    }
    {
        server s(identity, {.idle = 20ms});
        client idle(s.where(), identity);
        idle.shake_hands();
        good &= show("who is silent hears a farewell", idle.hears_farewell());
        s.begin_to_drain();
        s.wait();
    }
    {
        server s(identity, {});
        client c(s.where(), identity);
        c.shake_hands();
        good &= show("who asks is answered", c.ask("hello") == "hello");
        s.begin_to_drain();
        good &= show("who is there at the end hears a farewell", c.hears_farewell());
        s.wait();
    }
    return good ? 0 : 1;
}
catch (std::exception const& e)
{
    std::cerr << e.what() << '\n';
    return 1;
}
