// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DIAGNOSTICS_TRACE_HPP
#define ASIO_EWYK_DIAGNOSTICS_TRACE_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/diagnostics/trace_log.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace asio_ewyk {

/** Records which thread produced, consumed, handed over and was parked, and when.

    There is one trace for the process, of all contexts, pools and loops. Each thread writes into a
    ring of its own, which keeps its last events; what was written over is counted. While nothing is
    recorded, each trace point costs a load and a branch.

    What is written is JSON in Chrome's trace event format, which `chrome://tracing` and
    https://ui.perfetto.dev show: spans and moments of each thread, with the addresses of tasks and
    contexts. doc/observability.adoc lists them. `ewyk_timeline`, in `example/timeline`, draws it as
    an SVG, with arrows from where a task or production was given away to where it goes on.

    @par Thread Safety
    All functions may be called by any thread at any time.

    @par Exception Safety
    Recording never throws: where there is no memory for a ring, the thread's events are lost, and
    the trace says for how many threads. The functions say what they throw themselves.
*/
namespace trace {

/** How to record. Every field has a default.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct options
{
    /// How many events are kept of each thread, 32 bytes each. A task has three to six. The memory
    /// is allocated when a thread records its first event. Of the threads that have ended, those of
    /// the last 16 are kept.
    /// @range at least 1, in events
    std::size_t events_per_thread = 32768;
};

/// Begins to record, anew: what was recorded before is dropped. Throws `std::invalid_argument` for
/// options that cannot work, and `std::bad_alloc`.
void start(options const& o = {});

/// Ends the recording. What was recorded is kept for write(). An event that another thread is about
/// to record may still come. Ends keep(), too, of which this call then writes the last file.
/// No-throw guarantee.
inline void stop() noexcept
{
    detail::trace_log::stop();
}

/// Whether events are recorded. No-throw guarantee.
inline bool recording() noexcept
{
    return detail::trace_log::recording();
}

/** Writes what was recorded since start().

    May be called while recording: then it writes what each thread has recorded so far, except
    events that the thread overwrites meanwhile. A span that has not ended is written as if it ended
    at the last event of all; one whose beginning was overwritten is left out.

    Throws `std::bad_alloc`; errors of the stream are the stream's.
*/
void write(std::ostream& out);

/** A span of the program's own in the trace, such as a request: from the constructor to the
    destructor, if a trace is recorded then.

    May be a local of a coroutine: what is in between may run on any threads, and other spans may
    overlap with it. Costs two events, and one more for each 16 characters of the name. While
    nothing is recorded, the constructor and the destructor each cost a load and a branch.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe. The destructor may be called by another thread
    than the constructor.

    @par Exception Safety
    No-throw guarantee.

    @par Example
    @snippet test/unit/diagnostics/flight_recorder.cpp span
*/
class span
{
public:
    /// Begins. Keeps up to 64 bytes of the name, which is UTF-8 without `\0`.
    explicit span(std::string_view name) noexcept;

    span(span const&) = delete;
    span& operator=(span const&) = delete;

    /// Ends.
    ~span();

private:
    std::uint32_t number_ = 0; // 0: it is not recorded
};

} // namespace trace
} // namespace asio_ewyk

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/impl/trace.ipp>
#endif

#endif
