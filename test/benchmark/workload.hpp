// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_WORKLOAD_HPP
#define ASIO_EWYK_TEST_BENCHMARK_WORKLOAD_HPP

#include "parameters.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace benchmark {

/// What can be measured. Each one is defined in the source of its name.
struct workload
{
    std::string_view name;
    std::vector<std::string_view> peers;
    parameters::map defaults; // of the parameters
    boost::json::object (*measure)(std::string_view peer, parameters const& with);
};

/// All of them, in the order of workloads.cpp.
std::vector<workload> const& workloads();

} // namespace benchmark

#endif
