// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "../workload.hpp"

#include "../chains.hpp"
#include "../defaults.hpp"
#include "../peer_names.hpp"

namespace benchmark {

std::vector<workload> const& workloads()
{
    static std::vector<workload> const all{{"post", peer_names(), with_peers(1, {{"chains", 8}}),
        [](std::string_view peer, parameters const& with) {
            return measure_chains(peer, with, {.chains = with.count("chains")});
        }}};
    return all;
}

} // namespace benchmark
