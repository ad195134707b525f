// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_UTILITY_NAMED_VALUES_HPP
#define ASIO_EWYK_DETAIL_UTILITY_NAMED_VALUES_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace asio_ewyk::detail {

// A constant of the source is made of a number without a name: not constexpr, so that the compiler
// says so.
inline void constant_without_a_name() noexcept {}

// The names of an enumeration whose values count from zero, in that order: all that there are.
template <std::size_t N>
class named_values
{
public:
    constexpr explicit named_values(std::array<std::string_view, N> names) noexcept
        : names_(names)
    {
    }

    // What a value takes where several share a word.
    static constexpr int bits = std::bit_width(N - 1);

    constexpr std::array<std::string_view, N> const& all() const noexcept { return names_; }

    // That value, or the other one if it has no name.
    template <class Enum>
    constexpr Enum known(Enum value, Enum otherwise) const noexcept
    {
        if (static_cast<std::size_t>(value) < N) [[likely]]
            return value;
        if (std::is_constant_evaluated())
            constant_without_a_name();
        return otherwise;
    }

    template <class Enum>
    constexpr std::string_view name(Enum value) const noexcept
    {
        return names_[static_cast<std::size_t>(value)];
    }

    // `what`: of what sort they are, for the message of the exception.
    template <class Enum>
    Enum parse(std::string_view what, std::string_view name) const
    {
        for (std::size_t i = 0; i != N; ++i)
            if (names_[i] == name)
                return static_cast<Enum>(i);
        std::string message("unknown ");
        message.append(what).append(" '").append(name).append("'; known:");
        for (std::size_t i = 0; i != N; ++i)
            message.append(i == 0 ? " " : ", ").append(names_[i]);
        throw std::invalid_argument(message);
    }

private:
    std::array<std::string_view, N> names_;
};

} // namespace asio_ewyk::detail

#endif
