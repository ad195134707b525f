// asio_ewyk is not for macros named min and max: define NOMINMAX before <windows.h>
//
// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <cstddef> // libstdc++ takes the macros back, once

#define min(a, b) ((a) < (b) ? (a) : (b))

#include <asio_ewyk.hpp>
