// constant_without_a_name
//
// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/strategy.hpp>

int main()
{
    constexpr auto sixth = static_cast<asio_ewyk::strategy_t::kind>(5);
    constexpr asio_ewyk::strategy_t unknown(sixth);
    return unknown == asio_ewyk::strategy ? 0 : 1;
}
