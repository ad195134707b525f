// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_TRACE_IPP
#define ASIO_EWYK_IMPL_TRACE_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/diagnostics/trace_log.hpp>
#include <asio_ewyk/detail/diagnostics/trace_snapshot.hpp>
#include <asio_ewyk/detail/diagnostics/trace_text.hpp>
#include <asio_ewyk/detail/diagnostics/trace_writer.hpp>
#include <asio_ewyk/detail/utility/checked_option.hpp>
#include <asio_ewyk/diagnostics/trace.hpp>

#include <atomic>
#include <cstdint>
#include <ostream>
#include <string_view>

namespace asio_ewyk {

ASIO_EWYK_DECL void trace::start(options const& o)
{
    detail::check_option(o.events_per_thread >= 1, "trace::options::events_per_thread",
        "at least 1", o.events_per_thread);
    detail::trace_log::start(o.events_per_thread);
}

ASIO_EWYK_DECL void trace::write(std::ostream& out)
{
    detail::trace_writer().write(out, detail::trace_snapshot(detail::trace_log::now()));
}

ASIO_EWYK_DECL trace::span::span(std::string_view name) noexcept
{
    detail::trace_recorder::function const record = detail::trace_recorder::get();
    if (!record)
        return;
    // Relaxed: numbers only have to differ.
    static std::atomic<std::uint32_t> last{0};
    while (number_ == 0)
        number_ = last.fetch_add(1, std::memory_order_relaxed) + 1;
    detail::trace_text::record(record, detail::trace_event::open_span, number_, name);
}

ASIO_EWYK_DECL trace::span::~span()
{
    if (number_ != 0)
        detail::trace_point(detail::trace_event::close_span, nullptr, number_);
}

} // namespace asio_ewyk

#endif
