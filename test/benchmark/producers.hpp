// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_PRODUCERS_HPP
#define ASIO_EWYK_TEST_BENCHMARK_PRODUCERS_HPP

#include "parameters.hpp"

#include <boost/json/object.hpp>

#include <string_view>

namespace benchmark {

/** Threads that are not the peer's submit functions that do nothing, as fast as they can.

    Of the parameters, `producers` says how many there are, `window` how many functions of each
    may be under way; the others are the peer's.
*/
boost::json::object measure_producers(std::string_view peer, parameters const& with);

} // namespace benchmark

#endif
