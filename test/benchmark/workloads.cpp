#include "bimodal.hpp"
#include "cpu_bound.hpp"
#include "handler_length.hpp"
#include "mixed_chains.hpp"
#include "overload.hpp"
#include "post.hpp"
#include "stalls.hpp"
#include "strategy.hpp"
#include "workload.hpp"

namespace benchmark {

std::vector<workload> const& workloads()
{
    static std::vector<workload> const all{
        post_workload(),
        bimodal_workload(),
        strategy_workload(),
        handler_length_workload(),
        cpu_bound_workload(),
        mixed_chains_workload(),
        overload_workload(),
        stalls_workload(),
    };
    return all;
}

} // namespace benchmark
