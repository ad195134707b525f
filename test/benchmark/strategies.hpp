// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_STRATEGIES_HPP
#define ASIO_EWYK_TEST_BENCHMARK_STRATEGIES_HPP

#include <asio_ewyk/strategy.hpp>

#include <array>
#include <chrono>
#include <string_view>

namespace benchmark {

/// A strategy as a peer.
struct named_strategy
{
    std::string_view name;
    asio_ewyk::strategy_t strategy;
    bool with_grace; // else it is Jetty's

    std::chrono::nanoseconds grace(std::chrono::nanoseconds given) const
    {
        return with_grace ? given : std::chrono::nanoseconds::zero();
    }
};

inline constexpr std::array<named_strategy, 6> strategies{{
    {"produce_consume", asio_ewyk::strategy.produce_consume, false},
    {"produce_execute_consume", asio_ewyk::strategy.produce_execute_consume, false},
    {"execute_produce_consume", asio_ewyk::strategy.execute_produce_consume, false},
    {"execute_produce_consume+grace", asio_ewyk::strategy.execute_produce_consume, true},
    {"eat_what_you_kill", asio_ewyk::strategy.eat_what_you_kill, false},
    {"eat_what_you_kill+grace", asio_ewyk::strategy.eat_what_you_kill, true},
}};

} // namespace benchmark

#endif
