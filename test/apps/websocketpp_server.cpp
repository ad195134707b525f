// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "websocketpp_server.hpp"

#include <boost/asio/ip/address_v4.hpp>
#include <websocketpp/config/asio_no_tls.hpp>
#include <websocketpp/server.hpp>

namespace apps {

struct websocketpp_server::implementation : websocketpp::server<websocketpp::config::asio>
{};

websocketpp_server::websocketpp_server(boost::asio::io_context& context, asked& questions)
  : implementation_(new implementation)
{
    auto& server = *implementation_;
    server.clear_access_channels(websocketpp::log::alevel::all);
    server.clear_error_channels(websocketpp::log::elevel::all); // of clients that leave
    server.init_asio(&context);
    server.set_message_handler([&](auto connection, implementation::message_ptr message) {
        websocketpp::lib::error_code ignored; // the client may have gone
        server.send(connection, questions.answer(message->get_payload()),
            message->get_opcode(), ignored);
    });
    server.listen({boost::asio::ip::address_v4::loopback(), 0});
    server.start_accept();
    boost::system::error_code error;
    port_ = server.get_local_endpoint(error).port();
}

websocketpp_server::~websocketpp_server() = default;

} // namespace apps
