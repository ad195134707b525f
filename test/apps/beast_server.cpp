// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "beast_server.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>

#include <memory>
#include <utility>

namespace apps {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;
using tcp = boost::asio::ip::tcp;

namespace {

// Ends when an operation fails, as when the client leaves.
class session : public std::enable_shared_from_this<session>
{
public:
    session(tcp::socket socket, beast_server::function const& answer)
        : stream_(std::move(socket)), answer_(answer)
    {
    }

    void run()
    {
        asio::dispatch(stream_.get_executor(), [self = shared_from_this()] { self->handshake(); });
    }

private:
    void handshake()
    {
        stream_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
        stream_.async_accept([self = shared_from_this()](beast::error_code error) {
            if (!error)
                self->read();
        });
    }

    void read()
    {
        stream_.async_read(
            buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
                if (!error)
                    self->answer();
            });
    }

    void answer()
    {
        text_ = answer_(beast::buffers_to_string(buffer_.data()));
        buffer_.consume(buffer_.size());
        stream_.text(true);
        stream_.async_write(asio::buffer(text_),
            [self = shared_from_this()](beast::error_code error, std::size_t) {
                if (!error)
                    self->read();
            });
    }

    websocket::stream<beast::tcp_stream> stream_;
    beast_server::function const& answer_; // the server's
    beast::flat_buffer buffer_;
    std::string text_;
};

} // namespace

beast_server::beast_server(asio::io_context& context, function answer)
  : context_(context), acceptor_(context, {asio::ip::address_v4::loopback(), 0}), answer_(std::move(answer))
{
    accept();
}

void beast_server::accept()
{
    acceptor_.async_accept(
        asio::make_strand(context_), [this](beast::error_code error, tcp::socket socket) {
            if (error)
                return;
            std::make_shared<session>(std::move(socket), answer_)->run();
            accept();
        });
}

} // namespace apps
