// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_UTILITY_CHECKED_OPTION_HPP
#define ASIO_EWYK_DETAIL_UTILITY_CHECKED_OPTION_HPP

#include <asio_ewyk/detail/config.hpp>

#include <chrono>
#include <stdexcept>
#include <string>

namespace asio_ewyk::detail {

// Throws std::invalid_argument unless `holds`: the option, its range, and the value that it has, a
// number or a time.
template <class T>
ASIO_EWYK_COLD void check_option(bool holds, char const* option, char const* range, T value)
{
    if (holds)
        return;
    std::string text = std::string(option) + " must be " + range + ", not ";
    if constexpr (requires { value.count(); })
        text += std::to_string(std::chrono::nanoseconds(value).count()) + " ns";
    else
        text += std::to_string(value);
    throw std::invalid_argument(text);
}

} // namespace asio_ewyk::detail

#endif
