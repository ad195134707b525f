// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "cpu_bound.hpp"

#include "chains.hpp"
#include "defaults.hpp"
#include "peer_names.hpp"

#include <thread>

namespace benchmark {

workload cpu_bound_workload()
{
    return {"cpu_bound", peer_names({"event_loop"}),
        with_peers(std::thread::hardware_concurrency(), {{"length", 1000}, {"chains", 64}}),
        [](std::string_view peer, parameters const& with) {
            return measure_chains(peer, with,
                {.time = with.microseconds("length"), .chains = with.count("chains")});
        }};
}

} // namespace benchmark
