#ifndef ASIO_EWYK_TEST_BENCHMARK_CHAINS_HPP
#define ASIO_EWYK_TEST_BENCHMARK_CHAINS_HPP

#include "parameters.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <cstddef>
#include <string_view>

namespace benchmark {

/// A handler's work.
struct work
{
    std::chrono::nanoseconds time{};
    bool sleeps = false; // rather than to compute
};

/** Functions that submit themselves again, each after its work, from the handler that ran it.

    Of the parameters, `chains` says how many there are; the others are the peer's.
*/
boost::json::object measure_chains(
    std::string_view peer, parameters const& with, work const& each);

} // namespace benchmark

#endif
