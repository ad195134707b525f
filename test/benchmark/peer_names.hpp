// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_PEER_NAMES_HPP
#define ASIO_EWYK_TEST_BENCHMARK_PEER_NAMES_HPP

#include <string_view>
#include <vector>

namespace benchmark {

/// The peers of peers.hpp, without those of some names.
std::vector<std::string_view> peer_names(std::vector<std::string_view> const& without = {});

} // namespace benchmark

#endif
