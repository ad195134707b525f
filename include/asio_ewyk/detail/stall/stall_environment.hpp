// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_STALL_STALL_ENVIRONMENT_HPP
#define ASIO_EWYK_DETAIL_STALL_STALL_ENVIRONMENT_HPP

#include <asio_ewyk/detail/config.hpp>

#include <chrono>
#include <optional>
#include <string_view>

namespace asio_ewyk::detail {

// What a value of the environment variable ASIO_EWYK_STALLS says, as "100ms"; or nothing.
std::optional<std::chrono::nanoseconds> stall_threshold_from(std::string_view text) noexcept;

// What the variable said when it was asked for first.
std::optional<std::chrono::nanoseconds> const& stall_threshold_of_environment() noexcept;

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/stall/stall_environment.ipp>
#endif

#endif
