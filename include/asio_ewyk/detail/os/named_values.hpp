// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_NAMED_VALUES_HPP
#define ASIO_EWYK_DETAIL_OS_NAMED_VALUES_HPP

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace asio_ewyk::detail {

// The names of an enumeration whose values count from zero, in that order.
template <std::size_t N>
class named_values
{
public:
    constexpr named_values(std::string_view what, std::array<std::string_view, N> names) noexcept
        : what_(what)
        , names_(names)
    {
    }

    template <class Enum>
    constexpr std::string_view name(Enum value) const noexcept
    {
        return names_[static_cast<std::size_t>(value)];
    }

    template <class Enum>
    Enum parse(std::string_view name) const
    {
        for (std::size_t i = 0; i != N; ++i)
            if (names_[i] == name)
                return static_cast<Enum>(i);
        std::string message("unknown ");
        message.append(what_).append(" '").append(name).append("'; known:");
        for (std::size_t i = 0; i != N; ++i)
            message.append(i == 0 ? " " : ", ").append(names_[i]);
        throw std::invalid_argument(message);
    }

private:
    std::string_view what_;
    std::array<std::string_view, N> names_;
};

} // namespace asio_ewyk::detail

#endif
