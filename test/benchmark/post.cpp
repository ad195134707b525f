// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "post.hpp"

#include "chains.hpp"
#include "defaults.hpp"
#include "peer_names.hpp"
#include "producers.hpp"

#include <thread>

namespace benchmark {

workload post_workload()
{
    auto peers = peer_names();
    peers.insert(peers.end(), {"eat_what_you_kill, shedding", "event_loop, shedding"});
    return {"post", peers,
        with_peers(std::thread::hardware_concurrency(),
            {{"producers", 0}, {"window", 1000}, {"chains", 8}}),
        [](std::string_view peer, parameters const& with) {
            return with["producers"] == 0
                ? measure_chains(peer, with, {.chains = with.count("chains")})
                : measure_producers(peer, with);
        }};
}

} // namespace benchmark
