// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_SERVER_HPP
#define ASIO_EWYK_SERVER_HPP

// What servers are made of, above the contexts, pools and loops of asio_ewyk.hpp.

#include <asio_ewyk/diagnostics/prometheus.hpp>
#include <asio_ewyk/overload/load_shedder.hpp>
#include <asio_ewyk/server/serve.hpp>
#include <asio_ewyk/server/serve_control.hpp>
#include <asio_ewyk/server/serve_options.hpp>

#endif
