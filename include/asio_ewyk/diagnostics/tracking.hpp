// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DIAGNOSTICS_TRACKING_HPP
#define ASIO_EWYK_DIAGNOSTICS_TRACKING_HPP

/** @file
    Which operations of Asio are pending, and where handlers spend their time.

    Tracking is opt-in: all sources of the program are compiled with
    `BOOST_ASIO_CUSTOM_HANDLER_TRACKING=<asio_ewyk/diagnostics/tracking.hpp>`, the hook that Asio
    documents, by CMake's target `asio_ewyk::tracking` for instance. A program some of whose sources
    include this library and are compiled without that does not link.
*/

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/diagnostics/tracked_operation.hpp>

#include <cstdint>
#include <vector>

#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
#include <asio_ewyk/detail/observe/dump_section.hpp>
#include <asio_ewyk/detail/tracking/handler_hooks.hpp>
#endif

namespace asio_ewyk {

/** What Asio's operations are doing, in all contexts of the process, an `io_context` too.

    Where the program is not compiled with the hook there are none. With it, `dump()` writes them.

    @par Thread Safety
    All functions may be called by any thread at any time. They wait for no thread, and no thread
    waits for them.

    @par Example
    @snippet test/unit/diagnostics/tracking.cpp tracking
*/
namespace tracking {

/** All operations that have not ended, the oldest first, and the last 64 whose handlers were
    destroyed without having been called.

    Each is true for a moment of its own: what ends or begins meanwhile may be left out. A composed
    operation, such as `async_read`, is listed as the step that is under way. What is submitted to
    the executors of this library is not listed: `dump()` has how much waits there. Throws
    `std::bad_alloc`.
*/
std::vector<operation> pending();

/// What has happened since the last reset_profile(), by site, the one that has run for longest
/// first. Throws `std::bad_alloc`.
std::vector<site> profile();

/// Begins the profile anew. What a thread counts at the same moment may be lost. No-throw
/// guarantee.
void reset_profile() noexcept;

/// How many operations were left out, as there was no memory for them. No-throw guarantee.
std::uint64_t untracked() noexcept;

} // namespace tracking

namespace detail {

class text_sink;

// A section of dump().
void describe_operations(text_sink& out) noexcept;

} // namespace detail

} // namespace asio_ewyk

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/impl/tracking.ipp>
#endif

// What Asio asks of the header that the hook names.
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)

#define BOOST_ASIO_INHERIT_TRACKED_HANDLER : public ::asio_ewyk::detail::tracked_handler

#define BOOST_ASIO_ALSO_INHERIT_TRACKED_HANDLER , public ::asio_ewyk::detail::tracked_handler

#define BOOST_ASIO_HANDLER_TRACKING_INIT \
    (::asio_ewyk::detail::dump_section::set(&::asio_ewyk::detail::describe_operations), \
        ::asio_ewyk::detail::tracked_completion::set(&::asio_ewyk::detail::handler_hooks::enter))

#define BOOST_ASIO_HANDLER_LOCATION(args) \
    ::asio_ewyk::detail::tracked_location tracked_location args

#define BOOST_ASIO_HANDLER_CREATION(args) ::asio_ewyk::detail::handler_hooks::creation args

#define BOOST_ASIO_HANDLER_COMPLETION(args) \
    ::asio_ewyk::detail::completion_scope tracked_completion args

#define BOOST_ASIO_HANDLER_INVOCATION_BEGIN(args) tracked_completion.invocation_begin args

#define BOOST_ASIO_HANDLER_INVOCATION_END tracked_completion.invocation_end()

#define BOOST_ASIO_HANDLER_OPERATION(args) (void)0

#define BOOST_ASIO_HANDLER_REACTOR_REGISTRATION(args) (void)0

#define BOOST_ASIO_HANDLER_REACTOR_DEREGISTRATION(args) (void)0

#define BOOST_ASIO_HANDLER_REACTOR_READ_EVENT 1
#define BOOST_ASIO_HANDLER_REACTOR_WRITE_EVENT 2
#define BOOST_ASIO_HANDLER_REACTOR_ERROR_EVENT 4

#define BOOST_ASIO_HANDLER_REACTOR_EVENTS(args) (void)0

#define BOOST_ASIO_HANDLER_REACTOR_OPERATION(args) \
    ::asio_ewyk::detail::handler_hooks::reactor_operation args

#endif

#endif
