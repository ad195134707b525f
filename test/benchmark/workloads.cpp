// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "bimodal.hpp"
#include "changing_load.hpp"
#include "contexts.hpp"
#include "cpu_bound.hpp"
#include "handler_length.hpp"
#include "io_ratio.hpp"
#include "mixed_chains.hpp"
#include "overload.hpp"
#include "post.hpp"
#include "received_data.hpp"
#include "stalls.hpp"
#include "strategy.hpp"
#include "workload.hpp"

namespace benchmark {

std::vector<workload> const& workloads()
{
    static std::vector<workload> const all{
        post_workload(),
        bimodal_workload(),
        received_data_workload(),
        strategy_workload(),
        handler_length_workload(),
        cpu_bound_workload(),
        mixed_chains_workload(),
        changing_load_workload(),
        overload_workload(),
        stalls_workload(),
        io_ratio_workload(),
        seldom_workload(),
        lifetime_workload(),
    };
    return all;
}

} // namespace benchmark
