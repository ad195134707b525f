// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DIAGNOSTICS_TRACKED_OPERATION_HPP
#define ASIO_EWYK_DIAGNOSTICS_TRACKED_OPERATION_HPP

#include <boost/assert/source_location.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace asio_ewyk::tracking {

/// What an operation is doing.
enum class operation_state
{
    pending,   ///< waits for its event, or is ready and Asio does not say so
    ready,     ///< has its result, or never needed one, and waits for a thread
    running,   ///< its handler runs
    destroyed, ///< its handler was destroyed without having been called
};

/// The name of the value.
constexpr char const* to_string(operation_state s) noexcept
{
    switch (s)
    {
    case operation_state::pending:
        return "pending";
    case operation_state::ready:
        return "ready";
    case operation_state::running:
        return "running";
    case operation_state::destroyed:
        return "destroyed";
    }
    return "?";
}

/** An operation of Asio that has not ended: an element of what `tracking::pending()` returns.

    Strings have static storage, except `type`.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct operation
{
    operation_state state = operation_state::pending;

    /// The number of the handler, which no other handler of the process has. Numbers do not say
    /// which handler was first.
    std::uint64_t handler = 0;

    /// The number of the handler that has created the operation; 0 if no handler has.
    std::uint64_t created_by = 0;

    char const* kind = "";          ///< of object, in Asio's words: `socket`, `resolver`
    char const* name = "";          ///< of the operation, in Asio's words: `async_receive`
    char const* composed = nullptr; ///< the composed operation that it is a step of; or null
    void const* object = nullptr;   ///< Asio's data of the socket, timer or other
    void const* context = nullptr;  ///< the execution context
    std::uintmax_t descriptor = 0;  ///< of the socket or descriptor; 0 if it has none

    /// Where the program has created it, if that is known.
    std::optional<boost::source_location> location = {};

    /// The type of the handler, without what Asio and Beast wrap it in. Empty if there is a
    /// location.
    std::string type = {};

    std::chrono::nanoseconds age{};      ///< since it was created
    std::chrono::nanoseconds in_state{}; ///< how long it has been in that state

    /// The system's number of the thread that runs the handler (Linux, Windows; 0 elsewhere), or 0.
    int thread_id = 0;
};

/** What has happened to the operations of one site: an element of what `tracking::profile()`
    returns.

    A site is a location, with the names of the operation; or, where no location is known, the type
    of the handler. Strings have static storage, except `type`.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct site
{
    char const* kind = "";          ///< as in `operation`
    char const* name = "";          ///< as in `operation`
    char const* composed = nullptr; ///< as in `operation`

    /// Where the program has created them, if that is known.
    std::optional<boost::source_location> location = {};

    /// The type of the handler, without what Asio and Beast wrap it in. Empty if there is a
    /// location.
    std::string type = {};

    std::uint64_t handlers = 0;  ///< that have ended, by an exception too
    std::uint64_t destroyed = 0; ///< that were destroyed without having been called

    /// Of `handlers`, those of which it is known when they became ready.
    std::uint64_t waits = 0;

    /// How long those have waited for a thread, in all.
    std::chrono::nanoseconds waited{};

    /// The longest of these times.
    std::chrono::nanoseconds longest_wait{};

    /// How long the handlers have run, in all, with what they run inside of themselves.
    std::chrono::nanoseconds ran{};

    /// The longest of these times.
    std::chrono::nanoseconds longest_run{};

    /// Of `handlers`, those from whose threads another one was to take over production: they were
    /// late (Linux, Windows), or said so in advance, as with a `blocking_section` or a call of
    /// `run()`.
    std::uint64_t blocks = 0;

    /// How long those have run after that, in all: for as long others would have waited.
    std::chrono::nanoseconds blocked{};

    /// The longest of these times.
    std::chrono::nanoseconds longest_block{};
};

} // namespace asio_ewyk::tracking

#endif
