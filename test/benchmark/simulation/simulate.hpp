// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_SIMULATION_SIMULATE_HPP
#define ASIO_EWYK_TEST_BENCHMARK_SIMULATION_SIMULATE_HPP

#include "load.hpp"

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace benchmark::simulation {

/// The names of all peers.
std::vector<std::string_view> const& simulated_peers();

/// How many threads the peers have that have several.
struct sizes
{
    std::size_t threads = 16;     // of a context
    std::size_t max_threads = 16; // of a pool
    duration grace = std::chrono::microseconds(50);
};

/// Throws std::invalid_argument if there is no peer of that name.
std::unique_ptr<peer> make_peer(std::string_view name, machine& on, sizes const& with);

/// What happened in a while.
struct outcome
{
    duration time{};
    tally counted;
    duration cpu{};
    std::uint64_t switches = 0;
    std::size_t threads = 0;
};

/// Chains that submit themselves again, from after `warm_up` on for `time`.
outcome simulate(
    machine& on, peer& p, std::vector<task> chains, duration warm_up, duration time);

} // namespace benchmark::simulation

#endif
