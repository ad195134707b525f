// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_APPS_BEAST_SERVER_HPP
#define ASIO_EWYK_TEST_APPS_BEAST_SERVER_HPP

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <string>

namespace apps {

/// A WebSocket server of Boost.Beast, as its own examples are: callbacks, a strand for each
/// connection, Asio's io_context&. The context runs no longer than this lives.
class beast_server
{
public:
    using function = std::function<std::string(std::string const& question)>;

    beast_server(boost::asio::io_context& context, function answer);

    unsigned short port() const { return acceptor_.local_endpoint().port(); }

private:
    void accept();

    boost::asio::io_context& context_;
    boost::asio::ip::tcp::acceptor acceptor_;
    function answer_;
};

} // namespace apps

#endif
