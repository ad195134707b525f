// asio_ewyk with MinGW: compile all sources of the program with -DBOOST_HAS_PTHREADS
//
// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost/config.hpp>

#undef BOOST_HAS_PTHREADS
#define __MINGW32__ // as if it were

#include <asio_ewyk/detail/config.hpp>
