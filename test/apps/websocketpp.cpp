// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// WebSocket++, whose headers are no C++20, on a context: each message's handler is one of the
// io_context's own executor.

#include "websocketpp_server.hpp"

#include "support.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <stdexcept>

namespace {

// Messages of less than 126 bytes.
class client
{
public:
    explicit client(apps::websocketpp_server const& server) : connection_(server.port())
    {
        write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
              "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        std::string head;
        apps::asio::read_until(connection_.socket(), apps::asio::dynamic_buffer(head), "\r\n\r\n");
        if (!head.starts_with("HTTP/1.1 101 "))
            throw std::runtime_error(head);
    }

    std::string ask(std::string const& question)
    {
        send(question);
        return receive();
    }

    void send(std::string const& question)
    {
        // A text, masked with zeros.
        write(std::string{'\x81', static_cast<char>(0x80 | question.size())} + std::string(4, '\0')
            + question);
    }

    std::string receive()
    {
        char head[2];
        apps::asio::read(connection_.socket(), apps::asio::buffer(head));
        std::string text(static_cast<std::size_t>(head[1]), '\0');
        apps::asio::read(connection_.socket(), apps::asio::buffer(text));
        return text;
    }

private:
    void write(std::string const& bytes)
    {
        apps::asio::write(connection_.socket(), apps::asio::buffer(bytes));
    }

    apps::connection connection_;
};

} // namespace

APP_TEST_SUITE(websocketpp, apps::websocketpp_server, client, 8, 20)
