#include "post.hpp"

#include "chains.hpp"
#include "peer_names.hpp"

#include <thread>

namespace benchmark {

workload post_workload()
{
    return {"post", peer_names(),
        {{"producers", 0}, {"chains", 8}, {"threads", std::thread::hardware_concurrency()},
            {"grace", 50}},
        [](std::string_view peer, parameters const& with) {
            return measure_chains(peer, with, {});
        }};
}

} // namespace benchmark
