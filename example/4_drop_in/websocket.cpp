// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// An echo server of WebSockets with Boost.Beast and callbacks, and clients that are coroutines.
// Messages are of many sizes, up to several frames; pings come in between.

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

namespace {

namespace beast = boost::beast;
namespace net = boost::asio;
namespace websocket = beast::websocket;
using beast::error_code;
using net::awaitable;
using net::use_awaitable;
using net::ip::tcp;
using stream = websocket::stream<beast::tcp_stream>;
using namespace std::chrono_literals;

constexpr int clients = 10;
constexpr int messages = 20;
constexpr auto deadline = 100s;

// On the strand of its stream.
class session : public std::enable_shared_from_this<session>
{
public:
    explicit session(tcp::socket socket) : stream_(std::move(socket)) {}

    void start()
    {
        stream_.next_layer().socket().set_option(tcp::no_delay(true));
        stream_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
        stream_.async_accept([self = shared_from_this()](error_code error) {
            if (!self->ends(error))
                self->read();
        });
    }

private:
    void read()
    {
        stream_.async_read(buffer_, [self = shared_from_this()](error_code error, std::size_t) {
            if (!self->ends(error))
                self->write();
        });
    }

    void write()
    {
        stream_.binary(stream_.got_binary());
        stream_.async_write(
            buffer_.data(), [self = shared_from_this()](error_code error, std::size_t size) {
                if (self->ends(error))
                    return;
                self->buffer_.consume(size);
                self->read();
            });
    }

    static bool ends(error_code error)
    {
        if (error && error != websocket::error::closed)
            std::cerr << "a session ends: " << error.message() << '\n';
        return error.failed();
    }

    stream stream_;
    beast::flat_buffer buffer_;
};

class server
{
public:
    explicit server(net::io_context& ioc)
        : ioc_(ioc)
        , acceptor_(net::make_strand(ioc), {net::ip::address_v4::loopback(), 0})
    {
        accept();
    }

    tcp::endpoint where() const { return acceptor_.local_endpoint(); }

    void close()
    {
        net::post(acceptor_.get_executor(), [this] { acceptor_.close(); });
    }

private:
    void accept()
    {
        auto const strand = net::make_strand(ioc_);
        acceptor_.async_accept(strand, [this](error_code error, tcp::socket socket) {
            if (error)
                return;
            auto const on = socket.get_executor();
            auto const next = std::make_shared<session>(std::move(socket));
            net::dispatch(on, [next] { next->start(); });
            accept();
        });
    }

    net::io_context& ioc_;
    tcp::acceptor acceptor_;
};

// The number of messages that came back.
awaitable<int> talk(tcp::endpoint where)
{
    stream server(co_await net::this_coro::executor);
    server.next_layer().expires_never(); // the WebSocket has a timeout of its own
    server.set_option(websocket::stream_base::timeout::suggested(beast::role_type::client));
    server.auto_fragment(true);
    server.binary(true);
    co_await beast::get_lowest_layer(server).async_connect(where, use_awaitable);
    beast::get_lowest_layer(server).socket().set_option(tcp::no_delay(true));
    co_await server.async_handshake("localhost", "/", use_awaitable);
    int echoed = 0;
    for (int i = 0; i != messages; ++i)
    {
        std::string const said(static_cast<std::size_t>(i * i) * 100, static_cast<char>('a' + i));
        co_await server.async_ping({}, use_awaitable);
        co_await server.async_write(net::buffer(said), use_awaitable);
        std::string heard;
        auto buffer = net::dynamic_buffer(heard);
        co_await server.async_read(buffer, use_awaitable);
        echoed += heard == said && server.got_binary();
    }
    co_await server.async_close(websocket::close_code::normal, use_awaitable);
    co_return echoed;
}

} // namespace

int main()
try
{
    net::io_context ioc;
    server echo(ioc);
    std::atomic<int> echoed = 0;
    std::atomic<int> busy = clients;
    for (int i = 0; i != clients; ++i)
        net::co_spawn(net::make_strand(ioc), talk(echo.where()),
            [&](std::exception_ptr error, int n) {
                echoed += n;
                if (--busy == 0)
                    echo.close();
                if (error)
                    std::rethrow_exception(error);
            });
    ioc.run_for(deadline);

    std::cout << echoed << " of " << clients * messages << " messages came back\n";
    return echoed == clients * messages ? 0 : 1;
}
catch (std::exception const& e)
{
    std::cerr << e.what() << '\n';
    return 1;
}
