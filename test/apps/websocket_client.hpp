// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_APPS_WEBSOCKET_CLIENT_HPP
#define ASIO_EWYK_TEST_APPS_WEBSOCKET_CLIENT_HPP

#include "support.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace apps {

/// A WebSocket client without a library, for messages of less than 126 bytes.
class websocket_client
{
public:
    /// Of any server that has a port().
    template <class Server>
    explicit websocket_client(Server const& server) : connection_(server.port())
    {
        write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
              "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        std::string head;
        asio::read_until(connection_.socket(), asio::dynamic_buffer(head), "\r\n\r\n");
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
        asio::read(connection_.socket(), asio::buffer(head));
        std::string text(static_cast<std::size_t>(head[1]), '\0');
        asio::read(connection_.socket(), asio::buffer(text));
        return text;
    }

private:
    void write(std::string const& bytes)
    {
        asio::write(connection_.socket(), asio::buffer(bytes));
    }

    connection connection_;
};

} // namespace apps

#endif
