#include "peer_names.hpp"

#include "peers.hpp"

namespace benchmark {

std::vector<std::string_view> peer_names(std::vector<std::string_view> const& without)
{
    std::vector<std::string_view> names;
    auto const none = [](auto&) {};
    for (auto const& peer : all_peers<decltype(none)>())
        if (std::ranges::find(without, peer.name) == without.end())
            names.push_back(peer.name);
    return names;
}

} // namespace benchmark
