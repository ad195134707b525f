#include "peer_names.hpp"

#include "peers.hpp"

#include <algorithm>

namespace benchmark {

std::vector<std::string_view> peer_names(std::vector<std::string_view> const& without)
{
    std::vector<std::string_view> names(plain_peers.begin(), plain_peers.end());
    for (named_strategy const& s : strategies)
        names.push_back(s.name);
    std::erase_if(names, [&](auto name) { return std::ranges::find(without, name) != without.end(); });
    return names;
}

} // namespace benchmark
