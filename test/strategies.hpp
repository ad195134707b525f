// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The strategies that the tests run with: a new one is tested as soon as it has a name.

#ifndef ASIO_EWYK_TEST_STRATEGIES_HPP
#define ASIO_EWYK_TEST_STRATEGIES_HPP

#include <asio_ewyk/strategy.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace support {

/// For a custom strategy a policy decides, which answers with one of the others.
constexpr bool is_custom(std::string_view name) { return name.starts_with("custom"); }

/// How many strategies decide for themselves.
inline constexpr std::size_t number_of_strategies
    = asio_ewyk::detail::strategy_names.all().size()
    - static_cast<std::size_t>(std::count_if(asio_ewyk::detail::strategy_names.all().begin(),
        asio_ewyk::detail::strategy_names.all().end(), is_custom));

/// Those strategies.
inline std::vector<asio_ewyk::strategy_t> strategies()
{
    std::vector<asio_ewyk::strategy_t> found;
    for (std::string_view const name : asio_ewyk::detail::strategy_names.all())
        if (!is_custom(name))
            found.push_back(asio_ewyk::strategy_from_string(name));
    return found;
}

} // namespace support

#endif
