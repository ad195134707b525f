// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "handler_length.hpp"

#include "chains.hpp"
#include "defaults.hpp"
#include "peer_names.hpp"

namespace benchmark {

workload handler_length_workload()
{
    return {"handler_length", peer_names({"io_context/1", "produce_consume", "event_loop"}),
        with_peers(16, {{"length", 1}, {"sleeps", 0}, {"chains", 16}}),
        [](std::string_view peer, parameters const& with) {
            return measure_chains(peer, with,
                {.time = with.microseconds("length"), .sleeps = with["sleeps"] != 0,
                    .chains = with.count("chains")});
        }};
}

} // namespace benchmark
