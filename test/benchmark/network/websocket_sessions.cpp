// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "handed_server.hpp"

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <websocketpp/config/asio_no_tls.hpp>
#include <websocketpp/server.hpp>

#include <chrono>
#include <functional>
#include <iostream>
#include <string>
#include <thread>

namespace {

using server = websocketpp::server<websocketpp::config::asio>;

void sleep_if_asked(std::string const& message)
{
    std::string const prefix = "/sleep/";
    if (message.compare(0, prefix.size(), prefix) == 0)
        std::this_thread::sleep_for(
            std::chrono::microseconds(std::stol(message.substr(prefix.size()))));
}

}

void serve(boost::asio::io_context& context, std::function<void()> const& run)
{
    server sessions;
    sessions.clear_access_channels(websocketpp::log::alevel::all);
    sessions.clear_error_channels(websocketpp::log::elevel::all); // of clients that leave
    sessions.init_asio(&context);
    sessions.set_open_handler([&sessions](auto connection) {
        boost::system::error_code ignored; // the client may have gone
        sessions.get_con_from_hdl(connection)->get_raw_socket().set_option(
            boost::asio::ip::tcp::no_delay(true), ignored);
    });
    sessions.set_message_handler([&sessions](auto connection, server::message_ptr message) {
        sleep_if_asked(message->get_payload());
        websocketpp::lib::error_code ignored; // as above
        sessions.send(connection, message->get_payload(), message->get_opcode(), ignored);
    });
    sessions.listen({boost::asio::ip::address_v4::loopback(), 0});
    sessions.start_accept();
    boost::system::error_code error;
    std::cout << "listening on " << sessions.get_local_endpoint(error) << std::endl;
    run();
}
