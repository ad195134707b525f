// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

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
