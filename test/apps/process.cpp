// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Boost.Process, which takes an io_context&, and tells it of a fork that has been, but never before.

#include "process_pipes.hpp"

#include "support.hpp"

APP_TEST_SUITE(process, apps::processes, apps::process_pipe, 4, 10)
