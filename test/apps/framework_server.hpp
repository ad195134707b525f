// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_APPS_FRAMEWORK_SERVER_HPP
#define ASIO_EWYK_TEST_APPS_FRAMEWORK_SERVER_HPP

#include "asked.hpp"

#include <memory>

namespace apps {

/// RESTinio with an io_context of its own, and one thread in its run().
class framework_server
{
public:
    explicit framework_server(asked& questions);
    ~framework_server();

    unsigned short port() const noexcept { return port_; }

private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
    unsigned short port_ = 0;
};

} // namespace apps

#endif
