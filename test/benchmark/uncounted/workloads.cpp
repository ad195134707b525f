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
