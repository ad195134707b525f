// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "mixed_chains.hpp"

#include "chains.hpp"
#include "defaults.hpp"
#include "peer_names.hpp"

namespace benchmark {

workload mixed_chains_workload()
{
    return {"mixed_chains", peer_names({"event_loop"}),
        with_peers(16,
            {{"length", 10}, {"chains", 16}, {"long_length", 10'000}, {"long_chains", 8}}),
        [](std::string_view peer, parameters const& with) {
            return measure_chains(peer, with,
                {.time = with.microseconds("length"), .chains = with.count("chains")},
                {.time = with.microseconds("long_length"), .sleeps = true,
                    .chains = with.count("long_chains")});
        }};
}

} // namespace benchmark
