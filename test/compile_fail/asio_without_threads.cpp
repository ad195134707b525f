// compile without BOOST_ASIO_DISABLE_THREADS
//
// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#define BOOST_ASIO_DISABLE_THREADS
#include <asio_ewyk/strategy_context.hpp>

int main() {}
