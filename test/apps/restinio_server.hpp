// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_APPS_RESTINIO_SERVER_HPP
#define ASIO_EWYK_TEST_APPS_RESTINIO_SERVER_HPP

#include "asked.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>

namespace apps {

/// A RESTinio server over Boost.Asio that is handed an io_context&. A request's target is the
/// question.
class restinio_server
{
public:
    restinio_server(boost::asio::io_context& context, asked& questions);
    ~restinio_server();

    unsigned short port() const noexcept { return port_; }

private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
    unsigned short port_ = 0;
};

} // namespace apps

#endif
