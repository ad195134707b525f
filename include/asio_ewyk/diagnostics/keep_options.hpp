// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DIAGNOSTICS_KEEP_OPTIONS_HPP
#define ASIO_EWYK_DIAGNOSTICS_KEEP_OPTIONS_HPP

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>

namespace asio_ewyk::trace {

/** When keep() writes a file. A time of 0 means never.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct keep_when
{
    /// A file is written when a function has ended that waited for this long or longer, from its
    /// submission to an executor of this library until its run.
    /// @range at least 0
    std::chrono::nanoseconds queued = std::chrono::milliseconds(50);

    /// A file is written when a handler has ended that ran for this long or longer.
    /// @range at least 0
    std::chrono::nanoseconds ran = std::chrono::milliseconds(100);

    /// A file is written when a stall is reported, see `stall_threshold`, while the handler still
    /// runs.
    bool stalled = true;
};

/** What keep() writes, and where. `to` must be set; every other field has a default.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct keep_options
{
    /// How much of the trace a file has, up to the moment when it is written.
    /// @range at least 1 ms
    std::chrono::nanoseconds last = std::chrono::seconds(2);

    /// When a file is written.
    /// @range as its fields
    keep_when when = {};

    /// The directory, which is made if there is none. Give each program a directory of its own.
    /// @range not empty
    std::filesystem::path to = {};

    /// How many files there may be in the directory, those of earlier runs among them: the oldest
    /// are removed, by their names.
    /// @range at least 1
    std::size_t at_most = 10;

    /// The time from one file to the next, at least. What happens in between is in the next one.
    /// @range at least 0
    std::chrono::nanoseconds every = std::chrono::seconds(10);

    /// As in `options`: 32 bytes each, so by default 2 MB for a thread, and as much again while a
    /// file is written. A file has less than `last` of a thread that records more in that time.
    /// @range at least 1, in events
    std::size_t events_per_thread = 65536;

    /// Writes the program's metrics, a `prometheus_page` for example. Called on the library's
    /// report thread, or by stop(), which waits for it and must be called before what this uses is
    /// destroyed. Must not call functions of `trace`. What it throws is left out.
    std::function<void(std::ostream&)> metrics = {};
};

} // namespace asio_ewyk::trace

#endif
