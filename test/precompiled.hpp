// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Parsing these two takes longer than compiling a typical test. A test still includes what it uses:
// it compiles without this as well.

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>
