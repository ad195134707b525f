// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// RESTinio over Boost.Asio on a context that it is handed: each connection has a strand over an
// any_io_executor of the io_context's own executor.

#include "restinio_server.hpp"

#include "support.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <stdexcept>

namespace {

class client
{
public:
    explicit client(apps::restinio_server const& server) : connection_(server.port()) {}

    std::string ask(std::string const& question)
    {
        send(question);
        return receive();
    }

    void send(std::string const& question)
    {
        std::string const request = "GET /" + question + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
        apps::asio::write(connection_.socket(), apps::asio::buffer(request));
    }

    std::string receive()
    {
        std::string text;
        auto const buffer = apps::asio::dynamic_buffer(text);
        std::size_t const head
            = apps::asio::read_until(connection_.socket(), buffer, "\r\n\r\n");
        std::string const name = "Content-Length: ";
        auto const length = text.find(name);
        if (length > head)
            throw std::runtime_error(text);
        std::size_t const all = head + std::stoul(text.substr(length + name.size()));
        if (all > text.size())
            apps::asio::read(connection_.socket(), buffer,
                apps::asio::transfer_exactly(all - text.size()));
        return text.substr(head);
    }

private:
    apps::connection connection_;
};

} // namespace

APP_TEST_SUITE(restinio, apps::restinio_server, client, 8, 20)
