#ifndef ASIO_EWYK_TEST_BENCHMARK_PEER_NAMES_HPP
#define ASIO_EWYK_TEST_BENCHMARK_PEER_NAMES_HPP

#include <string_view>
#include <vector>

namespace benchmark {

/// The peers of peers.hpp, without those of some names.
std::vector<std::string_view> peer_names(std::vector<std::string_view> const& without = {});

} // namespace benchmark

#endif
