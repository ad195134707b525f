// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "handed_server.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <restinio/all.hpp>

#include <chrono>
#include <functional>
#include <iostream>
#include <string>
#include <thread>

namespace {

struct traits : restinio::default_traits_t
{};

void sleep_if_asked(std::string const& path)
{
    std::string const prefix = "/sleep/";
    if (path.compare(0, prefix.size(), prefix) == 0)
        std::this_thread::sleep_for(
            std::chrono::microseconds(std::stol(path.substr(prefix.size()))));
}

}

void serve(boost::asio::io_context& context, std::function<void()> const& run)
{
    restinio::http_server_t<traits> server(restinio::external_io_context(context),
        restinio::server_settings_t<traits>()
            .address("127.0.0.1")
            .port(0)
            .socket_options_setter([](restinio::socket_options_t& options) {
                options.set_option(boost::asio::ip::tcp::no_delay(true));
            })
            .acceptor_post_bind_hook([](boost::asio::ip::tcp::acceptor& acceptor) {
                std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
            })
            .request_handler([](restinio::request_handle_t const& request) {
                sleep_if_asked(std::string(request->header().path()));
                return request->create_response().set_body("done\n").done();
            }));
    server.open_sync();
    run();
}
