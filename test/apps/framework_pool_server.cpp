// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// As framework_server.cpp, but what blocks is posted to a pool; the framework is as it is.

#include "framework_server.hpp"

#include <asio_ewyk/worker_pool.hpp>

#include <boost/asio/post.hpp>
#include <restinio/all.hpp>

#include <string>
#include <utility>

namespace apps {

struct framework_server::implementation
{
    asio_ewyk::worker_pool pool{{.max_threads = 16}};
    // After the pool, which is joined last: a route that is done there has no client then.
    restinio::running_server_handle_t<restinio::default_traits_t> server;
};

framework_server::framework_server(asked& questions) : implementation_(new implementation)
{
    auto settings = restinio::server_settings_t<>().address("127.0.0.1").port(0);
    settings.acceptor_post_bind_hook([this](restinio::asio_ns::ip::tcp::acceptor& acceptor) {
        port_ = acceptor.local_endpoint().port();
    });
    // tag::route[]
    auto& pool = implementation_->pool; // asio_ewyk::worker_pool
    settings.request_handler([&pool, &questions](restinio::request_handle_t request) {
        boost::asio::post(pool.get_executor(), [&questions, request] {
            std::string const target(request->header().path());
            request->create_response().set_body(questions.answer(target.substr(1))).done();
        });
        return restinio::request_accepted(); // the answer comes later
    });
    // end::route[]
    implementation_->server
        = restinio::run_async(restinio::own_io_context(), std::move(settings), 1);
}

framework_server::~framework_server() = default;

} // namespace apps
