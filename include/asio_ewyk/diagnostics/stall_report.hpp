// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DIAGNOSTICS_STALL_REPORT_HPP
#define ASIO_EWYK_DIAGNOSTICS_STALL_REPORT_HPP

#include <asio_ewyk/detail/config.hpp>

#include <boost/assert/source_location.hpp>

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace asio_ewyk {

/// What a `stall_report` is about.
enum class stall_kind
{
    running, ///< a handler that has run for longer than the threshold, and still does
    ended,   ///< one that was reported as running has ended
};

/** A handler that does not return: the argument of `on_stall`.

    A value type; it owns its data.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct stall_report
{
    stall_kind kind = stall_kind::running;

    /// The name of the context, loop or pool, from its options.
    std::string context = {};

    /// The type of the handler, without Asio's wrappers as far as these are recognized. An
    /// `any_io_executor` hides the type, and a coroutine is named after what resumes it: say where
    /// it is by `set_location`.
    std::string handler = {};

    /// Where the handler said it is, by `set_location`.
    std::optional<boost::source_location> location = {};

    /// The system's number of the thread (Linux; 0 elsewhere), and its name.
    int thread_id = 0;
    std::string thread_name = {};

    /// How long the handler has run, or ran, since it was first seen. That is up to a tenth of the
    /// threshold after it began (after a silence, half of it), or up to 2 ms if that is more.
    std::chrono::nanoseconds time{};

    /// Whether the thread sleeps or waits for something. If not, the handler computes, or waits for
    /// a core that other threads use. With `running` only.
    bool sleeps = false;

    /// How many tasks wait in the context.
    std::size_t waiting = 0;

    /// Whether the handler may wait for its own `event_loop`, and so forever: tasks wait there,
    /// which no other thread runs, and the thread sleeps until another one wakes it, as for a
    /// future or a mutex. What it waits for is not known. With `running` only, and on Linux.
    bool may_wait_for_own_loop = false;

    /// What the thread does, innermost function first, if `stack_signal` is set.
    std::vector<std::string> stack = {};

    /// How many reports of this context were left out since the one before.
    std::size_t suppressed = 0;
};

/// Writes a line, and one more for each function of the stack.
std::ostream& operator<<(std::ostream& out, stall_report const& r);

namespace detail {

class text_sink;

void describe(text_sink& out, stall_report const& r) noexcept;

} // namespace detail

} // namespace asio_ewyk

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/impl/stall_report.ipp>
#endif

#endif
