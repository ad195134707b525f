// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_APPS_HTTP_CLIENT_HPP
#define ASIO_EWYK_TEST_APPS_HTTP_CLIENT_HPP

#include "support.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace apps {

/// Asks by the target of a request, and has the answer as a body.
class http_client
{
public:
    template <class Server>
    explicit http_client(Server const& server) : connection_(server.port())
    {
    }

    std::string ask(std::string const& question)
    {
        send(question);
        return receive();
    }

    void send(std::string const& question)
    {
        std::string const request = "GET /" + question + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
        asio::write(connection_.socket(), asio::buffer(request));
    }

    std::string receive()
    {
        std::string text;
        auto const buffer = asio::dynamic_buffer(text);
        std::size_t const head
            = asio::read_until(connection_.socket(), buffer, "\r\n\r\n");
        std::string const name = "Content-Length: ";
        auto const length = text.find(name);
        if (length > head)
            throw std::runtime_error(text);
        std::size_t const all = head + std::stoul(text.substr(length + name.size()));
        if (all > text.size())
            asio::read(connection_.socket(), buffer,
                asio::transfer_exactly(all - text.size()));
        return text.substr(head);
    }

private:
    connection connection_;
};

} // namespace apps

#endif
