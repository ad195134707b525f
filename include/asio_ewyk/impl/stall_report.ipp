// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_STALL_REPORT_IPP
#define ASIO_EWYK_IMPL_STALL_REPORT_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>
#include <asio_ewyk/diagnostics/stall_report.hpp>

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

namespace asio_ewyk {

ASIO_EWYK_DECL ASIO_EWYK_COLD void detail::describe(
    text_sink& out, stall_report const& r) noexcept
{
    auto const ms = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(r.time).count());
    out << "a handler of " << r.context << (r.kind == stall_kind::ended ? " ran" : " has run")
        << " for " << ms << " ms";
    if (r.kind == stall_kind::running)
        out << (r.may_wait_for_own_loop ? " and waits for something, perhaps a task of its own loop"
                : r.sleeps              ? " and waits for something"
                                        : " and computes or has no core");
    // What resumes a coroutine has a name of some 240 characters, and all have the same.
    if (r.handler.find("detail::awaitable_") != std::string::npos)
        out << ": a coroutine";
    else if (!r.handler.empty())
        out << ": " << r.handler;
    if (r.location)
        out << " at " << r.location->file_name() << ':' << std::uint64_t{r.location->line()}
            << " in " << r.location->function_name();
    if (!r.thread_name.empty())
        out << ", thread " << r.thread_name << " (" << static_cast<std::uint64_t>(r.thread_id)
            << ')';
    if (r.kind != stall_kind::ended)
        out << ", " << std::uint64_t{r.waiting} << " waiting";
    if (r.suppressed != 0)
        out << ", " << std::uint64_t{r.suppressed} << " reports left out";
    for (std::string const& function : r.stack)
        out << "\n    " << function;
}

ASIO_EWYK_DECL std::ostream& operator<<(std::ostream& out, stall_report const& r)
{
    std::string text;
    detail::text_sink sink(text);
    detail::describe(sink, r);
    sink.flush();
    return out << text;
}

} // namespace asio_ewyk

#endif
