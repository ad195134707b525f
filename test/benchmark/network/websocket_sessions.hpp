// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_NETWORK_WEBSOCKET_SESSIONS_HPP
#define ASIO_EWYK_TEST_BENCHMARK_NETWORK_WEBSOCKET_SESSIONS_HPP

#include <boost/asio/io_context.hpp>

#include <functional>

/// Has a WebSocket++ server on the context while `run` lasts, and says where it listens. Messages
/// are sent back; one such as `/sleep/10000` blocks its handler for that many microseconds before.
void serve_websockets(boost::asio::io_context& context, std::function<void()> const& run);

#endif
