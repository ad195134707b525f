// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_WINDOWS_HPP
#define ASIO_EWYK_DETAIL_OS_WINDOWS_HPP

#include <asio_ewyk/detail/config.hpp>

// Asio comes first: it includes <winsock2.h>, which <windows.h> must not come before.
#if defined(ASIO_EWYK_HAS_WINDOWS)
#include <boost/asio/ip/address_v4.hpp>

#include <windows.h>
#endif

#endif
