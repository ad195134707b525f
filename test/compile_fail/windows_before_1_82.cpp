// asio_ewyk takes Boost 1.82 or later on Windows; with MinGW and -DBOOST_HAS_PTHREADS, 1.81
//
// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost/asio/version.hpp>
#include <boost/config.hpp>

#undef BOOST_HAS_PTHREADS
#undef BOOST_ASIO_VERSION
#define BOOST_ASIO_VERSION 102600
#define _WIN32 // as if it were

#include <asio_ewyk/detail/config.hpp>
