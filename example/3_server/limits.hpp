// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_LIMITS_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_LIMITS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace http_server {

/// What one client may ask for before the server refuses.
namespace limits {

/// Bytes of one request's start line and fields; more gets 431.
inline constexpr std::size_t header = 8 * 1024;

/// Bytes of one request's body; more gets 413.
inline constexpr std::uint64_t body = 64 * 1024;

/// Bytes of one request's body as sent, the frames of a chunked one included; more gets 413.
inline constexpr std::uint64_t body_on_the_wire = 8 * body;

/// Bytes read in one go. More than a small request has, so that a read empties the socket: Asio
/// then knows that there is nothing left to read, and saves the system call that would find out.
inline constexpr std::size_t read = 4 * 1024;

/// Bytes thrown away after a refusal, so that the client finds the answer before a reset.
inline constexpr std::size_t drained = 1024 * 1024;

/// Clients that are accepted before the context does something else.
inline constexpr std::size_t accepted_at_once = 256;

/// The longest /sleep and /cpu; more gets 400.
inline constexpr std::chrono::microseconds handler = std::chrono::seconds(10);

}

}

#endif
