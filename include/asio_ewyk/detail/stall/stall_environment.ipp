// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_STALL_STALL_ENVIRONMENT_IPP
#define ASIO_EWYK_DETAIL_STALL_STALL_ENVIRONMENT_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/stall/stall_environment.hpp>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL std::optional<std::chrono::nanoseconds> stall_threshold_from(
    std::string_view text) noexcept
{
    using namespace std::chrono_literals;
    std::int64_t number = -1;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string_view const unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (error != std::errc() || number < 0)
        return std::nullopt;
    std::chrono::duration<double> const count(static_cast<double>(number));
    if (unit == "s" || (unit.empty() && number == 0))
        return saturated(count);
    if (unit == "ms")
        return saturated(count / 1e3);
    if (unit == "us")
        return saturated(count / 1e6);
    return std::nullopt;
}

// Read once: the environment may be changed while contexts are made.
ASIO_EWYK_DECL std::optional<std::chrono::nanoseconds> const&
stall_threshold_of_environment() noexcept
{
    static auto const threshold = []() -> std::optional<std::chrono::nanoseconds> {
        char const* const text = std::getenv("ASIO_EWYK_STALLS");
        auto const found = text ? stall_threshold_from(text) : std::nullopt;
        if (text && !found)
            std::fputs("asio_ewyk: ignored: ASIO_EWYK_STALLS is no time such as 100ms\n", stderr);
        return found;
    }();
    return threshold;
}

} // namespace asio_ewyk::detail

#endif
