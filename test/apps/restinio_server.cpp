// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "restinio_server.hpp"

#include <restinio/all.hpp>

#include <string>

namespace apps {

namespace {

struct traits : restinio::default_traits_t
{};

// Listens at a port of the system's choice.
auto settings(asked& questions, unsigned short& port)
{
    return restinio::server_settings_t<traits>()
        .address("127.0.0.1")
        .port(0)
        .acceptor_post_bind_hook([&port](restinio::asio_ns::ip::tcp::acceptor& acceptor) {
            port = acceptor.local_endpoint().port();
        })
        .request_handler([&questions](restinio::request_handle_t const& request) {
            std::string const target(request->header().path());
            return request->create_response()
                .set_body(questions.answer(target.substr(1)))
                .done();
        });
}

} // namespace

struct restinio_server::implementation
{
    restinio::http_server_t<traits> server;
};

restinio_server::restinio_server(boost::asio::io_context& context, asked& questions)
  : implementation_(new implementation{
      {restinio::external_io_context(context), settings(questions, port_)}})
{
    implementation_->server.open_sync();
}

restinio_server::~restinio_server() = default;

} // namespace apps
