// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_LATENCY_HPP
#define ASIO_EWYK_TEST_BENCHMARK_LATENCY_HPP

#include "../../example/load/histogram.hpp"

#include <boost/json/object.hpp>

#include <chrono>

namespace benchmark {

/// The quantiles that are reported, in microseconds.
inline boost::json::object quantiles(load::histogram const& latencies)
{
    using microseconds = std::chrono::duration<double, std::micro>;
    auto const at = [&](double share) { return microseconds(latencies.quantile(share)).count(); };
    return {{"p50", at(0.5)}, {"p90", at(0.9)}, {"p99", at(0.99)}, {"p99.9", at(0.999)},
        {"max", microseconds(latencies.max()).count()}};
}

} // namespace benchmark

#endif
