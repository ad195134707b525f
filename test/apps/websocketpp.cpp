// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// WebSocket++, whose headers are no C++20, on a context: each message's handler is one of the
// io_context's own executor.

#include "websocketpp_server.hpp"

#include "support.hpp"
#include "websocket_client.hpp"

APP_TEST_SUITE(websocketpp, apps::websocketpp_server, apps::websocket_client, 8, 20)
