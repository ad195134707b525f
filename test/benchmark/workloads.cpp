#include "post.hpp"
#include "workload.hpp"

namespace benchmark {

std::vector<workload> const& workloads()
{
    static std::vector<workload> const all{
        post_workload(),
    };
    return all;
}

} // namespace benchmark
