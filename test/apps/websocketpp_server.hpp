// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_APPS_WEBSOCKETPP_SERVER_HPP
#define ASIO_EWYK_TEST_APPS_WEBSOCKETPP_SERVER_HPP

#include "asked.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>

namespace apps {

/// A WebSocket++ server, as a library of other people has it: C++17, Asio's io_context&.
class websocketpp_server
{
public:
    websocketpp_server(boost::asio::io_context& context, asked& questions);
    ~websocketpp_server();

    unsigned short port() const noexcept { return port_; }

private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
    unsigned short port_;
};

} // namespace apps

#endif
