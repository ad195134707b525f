// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_EVENT_LOOP_VIEW_IPP
#define ASIO_EWYK_DETAIL_LOOP_EVENT_LOOP_VIEW_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/loop/event_loop_service.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>

#include <cstdint>

namespace asio_ewyk::detail {

// What a loop shows of itself.
ASIO_EWYK_DECL void event_loop_service::tell_state(text_sink& out) const noexcept
{
    constexpr char const* states[] = {"was not started", "runs", "shuts down", "has ended"};
    out << "event_loop " << static_cast<void const*>(&ioc_) << ' ' << options_.name << '-'
        << std::uint64_t{options_.number} << ": " << states[static_cast<std::size_t>(state_.load())]
        << ", " << std::uint64_t{waiting()} << " tasks wait";
    if (scheduled_.load())
        out << ", a round of them is due";
}

} // namespace asio_ewyk::detail

#endif
