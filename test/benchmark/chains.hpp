// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_CHAINS_HPP
#define ASIO_EWYK_TEST_BENCHMARK_CHAINS_HPP

#include "parameters.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <cstddef>
#include <string_view>

namespace benchmark {

/// What the handlers of some chains do.
struct work
{
    std::chrono::nanoseconds time{};
    bool sleeps = false; // rather than to compute
    std::size_t chains = 0;
};

/** Functions that submit themselves again, each after its work, from the handler that ran it. Those
    that sleep are of another type than those that compute.

    The operations are those of `each`; the rate of those of `beside` is `long_per_second`, the
    warm-up included. The parameters are the peer's.
*/
boost::json::object measure_chains(std::string_view peer, parameters const& with,
    work const& each, work const& beside = {});

} // namespace benchmark

#endif
