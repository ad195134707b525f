// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_VERSION_HPP
#define ASIO_EWYK_VERSION_HPP

/// The library's version, major * 10000 + minor * 100 + patch, for use in @c \#if.
/// The build files read it from here.
#define ASIO_EWYK_VERSION 100

namespace asio_ewyk {

/// The same as text, "major.minor.patch".
inline constexpr char version_string[] = "0.1.0";

} // namespace asio_ewyk

#endif
