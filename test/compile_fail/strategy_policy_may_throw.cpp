// a strategy_policy must be noexcept
//
// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/strategy_policy.hpp>

int main()
{
    asio_ewyk::strategy_policy const policy(
        [](asio_ewyk::task_traits) { return asio_ewyk::strategy.produce_consume; });
    return policy ? 0 : 1;
}
