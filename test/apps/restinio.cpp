// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// RESTinio over Boost.Asio on a context that it is handed: each connection has a strand over an
// any_io_executor of the io_context's own executor.

#include "http_client.hpp"
#include "restinio_server.hpp"
#include "support.hpp"

APP_TEST_SUITE(restinio, apps::restinio_server, apps::http_client, 8, 20)
