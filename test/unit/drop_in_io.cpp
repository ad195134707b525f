// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Sockets and resolvers work on a strategy_context as they do on an io_context: created from the
// context itself (any_io_executor) and from its executor's own type.

#include "support.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <unistd.h>

using namespace support;
using asio::ip::tcp;
using asio::ip::udp;
using asio::local::stream_protocol;
using boost::system::error_code;

namespace {

using concrete_acceptor = asio::basic_socket_acceptor<tcp, executor>;
using concrete_socket = asio::basic_stream_socket<tcp, executor>;

tcp::endpoint any_port() { return {asio::ip::address_v4::loopback(), 0}; }

/// Sends back what it receives, until the peer is done.
template <class Socket>
class echo_session : public std::enable_shared_from_this<echo_session<Socket>>
{
public:
    echo_session(Socket socket, std::atomic<int>& ended) : socket_(std::move(socket)), ended_(ended)
    {
    }

    void read()
    {
        socket_.async_read_some(
            asio::buffer(buffer_), [self = this->shared_from_this()](error_code ec, std::size_t n) {
                if (ec)
                    return self->end(ec);
                self->write(n);
            });
    }

private:
    void write(std::size_t n)
    {
        asio::async_write(socket_, asio::buffer(buffer_, n),
            [self = this->shared_from_this()](error_code ec, std::size_t) {
                if (ec)
                    return self->end(ec);
                self->read();
            });
    }

    void end(error_code ec)
    {
        LOCKED_TEST(ec == asio::error::eof, ec.message());
        ++ended_;
    }

    Socket socket_;
    std::atomic<int>& ended_;
    std::array<char, 64> buffer_{};
};

/// Sends its message a number of times, and expects it back each time.
template <class Socket>
class echo_client : public std::enable_shared_from_this<echo_client<Socket>>
{
public:
    echo_client(Socket socket, std::string text, int rounds, std::atomic<int>& ended)
      : socket_(std::move(socket)), message_(std::move(text)), rounds_(rounds), ended_(ended)
    {
        reply_.resize(message_.size());
    }

    template <class Endpoint>
    void connect(Endpoint const& peer)
    {
        socket_.async_connect(peer, [self = this->shared_from_this()](error_code ec) {
            LOCKED_TEST(!ec, ec.message());
            self->round();
        });
    }

    void round()
    {
        if (rounds_-- == 0)
        {
            ++ended_;
            return;
        }
        asio::async_write(socket_, asio::buffer(message_),
            [self = this->shared_from_this()](error_code ec, std::size_t n) {
                LOCKED_TEST(!ec, ec.message());
                LOCKED_TEST(n == self->message_.size());
                self->await_reply();
            });
    }

private:
    void await_reply()
    {
        std::fill(reply_.begin(), reply_.end(), '\0');
        asio::async_read(socket_, asio::buffer(reply_),
            [self = this->shared_from_this()](error_code ec, std::size_t) {
                LOCKED_TEST(!ec, ec.message());
                LOCKED_TEST(self->reply_ == self->message_);
                if (!ec)
                    self->round();
            });
    }

    Socket socket_;
    std::string message_;
    std::string reply_;
    int rounds_;
    std::atomic<int>& ended_;
};

/// One acceptor, eight clients, thirty rounds each.
template <class Acceptor, class Socket, class Executor, class Endpoint>
void echo(context& ctx, Executor const& ex, Endpoint const& at)
{
    constexpr int clients = 8;
    std::atomic<int> served{0};
    std::atomic<int> replied{0};
    Acceptor acceptor(ex, at);

    struct accept_loop
    {
        Acceptor& acceptor;
        std::atomic<int>& served;
        int left;

        void operator()()
        {
            acceptor.async_accept([this](error_code ec, Socket socket) {
                LOCKED_TEST(!ec, ec.message());
                std::make_shared<echo_session<Socket>>(std::move(socket), served)->read();
                if (--left > 0)
                    (*this)();
            });
        }
    } accept{acceptor, served, clients};
    accept();

    for (int i = 0; i < clients; ++i)
        std::make_shared<echo_client<Socket>>(
            Socket(ex), "message of client " + std::to_string(i), 30, replied)
            ->connect(acceptor.local_endpoint());

    run(ctx);
    BOOST_TEST(served == clients);
    BOOST_TEST(replied == clients);
}

/// A name in the file system for a local socket, free before and after.
struct socket_path
{
    socket_path() { std::filesystem::remove(name); }
    ~socket_path() { std::filesystem::remove(name); }

    std::string name = (std::filesystem::temp_directory_path()
        / ("asio_ewyk_drop_in_io_" + std::to_string(::getpid())))
                           .string();
};

}

BOOST_AUTO_TEST_SUITE(drop_in_io)

CONTEXT_TEST_CASE(tcp_with_any_io_executor, s)
{
    context ctx(s);
    echo<tcp::acceptor, tcp::socket>(ctx, ctx.get_executor(), any_port());
}

CONTEXT_TEST_CASE(tcp_with_the_concrete_executor, s)
{
    context ctx(s);
    echo<concrete_acceptor, concrete_socket>(ctx, ctx.get_executor(), any_port());
}

CONTEXT_TEST_CASE(tcp_on_a_strand, s)
{
    using strand = asio::strand<executor>;
    context ctx(s);
    echo<asio::basic_socket_acceptor<tcp, strand>, asio::basic_stream_socket<tcp, strand>>(
        ctx, asio::make_strand(ctx), any_port());
}

CONTEXT_TEST_CASE(local_sockets, s)
{
    socket_path const path;
    context ctx(s);
    echo<stream_protocol::acceptor, stream_protocol::socket>(
        ctx, ctx.get_executor(), stream_protocol::endpoint(path.name));
}

CONTEXT_TEST_CASE(a_connected_pair_of_local_sockets, s)
{
    context ctx(s);
    std::atomic<int> ended{0};
    stream_protocol::socket a(ctx);
    stream_protocol::socket b(ctx);
    asio::local::connect_pair(a, b);
    std::make_shared<echo_session<stream_protocol::socket>>(std::move(a), ended)->read();
    std::make_shared<echo_client<stream_protocol::socket>>(std::move(b), "pair", 5, ended)->round();
    run(ctx);
    BOOST_TEST(ended == 2);
}

// One context accepts, the sockets live on another: the handlers must follow the socket's executor.
CONTEXT_TEST_CASE(accepts_onto_another_context, s)
{
    context accepting(s);
    context serving(s);
    std::atomic<int> ended{0};
    tcp::acceptor acceptor(accepting, any_port());
    bool on_serving = false;
    acceptor.async_accept(serving, [&](error_code ec, tcp::socket socket) {
        LOCKED_TEST(!ec, ec.message());
        on_serving = socket.get_executor() == asio::any_io_executor(serving.get_executor());
        std::make_shared<echo_session<tcp::socket>>(std::move(socket), ended)->read();
    });
    std::make_shared<echo_client<tcp::socket>>(tcp::socket(serving), "hello", 5, ended)
        ->connect(acceptor.local_endpoint());

    auto const work = asio::make_work_guard(serving);
    std::thread server([&] { run(serving); });
    run(accepting);
    bool const in_time = eventually([&] { return ended == 2; });
    serving.stop();
    server.join();
    BOOST_TEST(in_time);
    BOOST_TEST(on_serving);
}

CONTEXT_TEST_CASE(an_acceptor_that_is_closed_reports_it, s)
{
    context ctx(s);
    tcp::acceptor acceptor(ctx, any_port());
    error_code seen;
    acceptor.async_accept([&](error_code ec, tcp::socket) { seen = ec; });
    asio::post(ctx, [&] { acceptor.close(); });
    run(ctx);
    BOOST_TEST((seen == asio::error::operation_aborted));
}

CONTEXT_TEST_CASE(a_refused_connection_reports_it, s)
{
    context ctx(s);
    // A port that was just ours and has no listener any more.
    auto const nobody = tcp::acceptor(ctx, any_port()).local_endpoint();
    tcp::socket socket(ctx);
    error_code seen;
    socket.async_connect(nobody, [&](error_code ec) { seen = ec; });
    run(ctx);
    BOOST_TEST((seen == asio::error::connection_refused));
}

CONTEXT_TEST_CASE(cancel_completes_what_waits, s)
{
    context ctx(s);
    stream_protocol::socket a(ctx);
    stream_protocol::socket b(ctx);
    asio::local::connect_pair(a, b);
    char byte = 0;
    std::array<error_code, 2> seen;
    a.async_read_some(asio::buffer(&byte, 1), [&](error_code ec, std::size_t) { seen[0] = ec; });
    a.async_wait(stream_protocol::socket::wait_read, [&](error_code ec) { seen[1] = ec; });
    asio::post(ctx, [&] { a.cancel(); });
    run(ctx);
    BOOST_TEST((seen[0] == asio::error::operation_aborted));
    BOOST_TEST((seen[1] == asio::error::operation_aborted));
}

CONTEXT_TEST_CASE(waits_for_readiness, s)
{
    context ctx(s);
    stream_protocol::socket a(ctx);
    stream_protocol::socket b(ctx);
    asio::local::connect_pair(a, b);
    std::size_t available = 0;
    bool writable = false;
    a.async_wait(stream_protocol::socket::wait_read, [&](error_code ec) {
        LOCKED_TEST(!ec, ec.message());
        available = a.available();
    });
    b.async_wait(stream_protocol::socket::wait_write, [&](error_code ec) {
        LOCKED_TEST(!ec, ec.message());
        writable = true;
        asio::write(b, asio::buffer("abc", 3));
    });
    run(ctx);
    BOOST_TEST(writable);
    BOOST_TEST(available == 3u);
}

CONTEXT_TEST_CASE(udp_ping_pong, s)
{
    constexpr int rounds = 50;
    context ctx(s);
    udp::endpoint const at(asio::ip::address_v4::loopback(), 0);
    udp::socket a(ctx, at);
    asio::basic_datagram_socket<udp, executor> b(ctx, at);
    auto const to_b = b.local_endpoint();

    // Each step begins when the one before has completed, so all of this is one chain of handlers.
    struct game
    {
        udp::socket& a;
        asio::basic_datagram_socket<udp, executor>& b;
        udp::endpoint to_b;
        int ball = 0;
        int received = -1;
        udp::endpoint from{};

        void serve()
        {
            a.async_send_to(
                asio::buffer(&ball, sizeof ball), to_b, [this](error_code ec, std::size_t) {
                    LOCKED_TEST(!ec, ec.message());
                    receive();
                });
        }

        void receive()
        {
            b.async_receive_from(asio::buffer(&received, sizeof received), from,
                [this](error_code ec, std::size_t n) {
                    LOCKED_TEST(!ec, ec.message());
                    LOCKED_TEST(n == sizeof received);
                    LOCKED_TEST(received == ball);
                    reply();
                });
        }

        void reply()
        {
            b.async_send_to(asio::buffer(&received, sizeof received), from,
                [this](error_code, std::size_t) { take_back(); });
        }

        void take_back()
        {
            a.async_receive(
                asio::buffer(&received, sizeof received), [this](error_code ec, std::size_t) {
                    LOCKED_TEST(!ec, ec.message());
                    if (++ball < rounds)
                        serve();
                });
        }
    } g{a, b, to_b};
    g.serve();
    run(ctx);
    BOOST_TEST(g.ball == rounds);
    BOOST_TEST(g.from == a.local_endpoint());
}

CONTEXT_TEST_CASE(resolves_a_numeric_host, s)
{
    context ctx(s);
    tcp::resolver resolver(ctx);
    tcp::endpoint found;
    resolver.async_resolve("127.0.0.1", "8080",
        tcp::resolver::numeric_host | tcp::resolver::numeric_service,
        [&](error_code ec, tcp::resolver::results_type results) {
            LOCKED_TEST(!ec, ec.message());
            found = results.begin()->endpoint();
        });
    run(ctx);
    BOOST_TEST(found == tcp::endpoint(asio::ip::address_v4::loopback(), 8080));
}

// The look-up happens on a thread of Asio's own: its completion comes from outside.
CONTEXT_TEST_CASE(resolves_localhost, s)
{
    context ctx(s);
    asio::ip::basic_resolver<tcp, executor> resolver(ctx.get_executor());
    std::size_t found = 0;
    bool loopback = true;
    resolver.async_resolve(
        "localhost", "80", [&](error_code ec, tcp::resolver::results_type results) {
            LOCKED_TEST(!ec, ec.message());
            for (auto const& entry : results)
            {
                ++found;
                loopback = loopback && entry.endpoint().address().is_loopback();
            }
        });
    run(ctx);
    BOOST_TEST(found > 0u);
    BOOST_TEST(loopback);
}

BOOST_AUTO_TEST_SUITE_END()
