// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_NETWORK_HANDED_SERVER_HPP
#define ASIO_EWYK_TEST_BENCHMARK_NETWORK_HANDED_SERVER_HPP

#include <boost/asio/io_context.hpp>

#include <functional>

/// Has a server of another library on the context while `run` lasts, and says where it listens. What
/// asks for `/sleep/10000` blocks its handler for that many microseconds; it may be anything else.
void serve(boost::asio::io_context& context, std::function<void()> const& run);

#endif
