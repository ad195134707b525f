// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_WATCHING_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_WATCHING_HPP

#include <chrono>

namespace http_server {

/// What the arrangements tell of themselves.
struct watching
{
    bool timing = false;                            ///< /metrics has delays and run times
    std::chrono::milliseconds stall_threshold{};    ///< 0: handlers that take long are not reported
};

}

#endif
