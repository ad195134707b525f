// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Nothing of this library is named here: the compiler's option -include brings it, or does not.

#include "framework_server.hpp"

#include <restinio/all.hpp>

#include <string>
#include <utility>

namespace apps {

struct framework_server::implementation
{
    restinio::running_server_handle_t<restinio::default_traits_t> server;
};

framework_server::framework_server(asked& questions) : implementation_(new implementation)
{
    auto settings
        = restinio::server_settings_t<>()
              .address("127.0.0.1")
              .port(0)
              .acceptor_post_bind_hook([this](restinio::asio_ns::ip::tcp::acceptor& acceptor) {
                  port_ = acceptor.local_endpoint().port();
              })
              .request_handler([&questions](restinio::request_handle_t const& request) {
                  std::string const target(request->header().path());
                  return request->create_response()
                      .set_body(questions.answer(target.substr(1)))
                      .done();
              });
    // Has begun to listen when it returns.
    implementation_->server
        = restinio::run_async(restinio::own_io_context(), std::move(settings), 1);
}

framework_server::~framework_server() = default;

} // namespace apps
