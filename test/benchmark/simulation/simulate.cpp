// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "simulate.hpp"

#include "../strategies.hpp"
#include "asio_peers.hpp"
#include "strategic_context.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace benchmark::simulation {

std::vector<std::string_view> const& simulated_peers()
{
    static auto const names = [] {
        std::vector<std::string_view> all{"io_context/1", "io_context/n", "io_context each",
            "io_context+thread_pool", "hand-tuned"};
        for (named_strategy const& s : strategies)
            all.push_back(s.name);
        return all;
    }();
    return names;
}

std::unique_ptr<peer> make_peer(std::string_view name, machine& on, sizes const& with)
{
    using handlers = offloading_context::handlers;
    auto const& names = simulated_peers();
    switch (std::ranges::find(names, name) - names.begin())
    {
    case 0:
        return std::make_unique<io_contexts>(on, 1, 1);
    case 1:
        return std::make_unique<io_contexts>(on, 1, with.threads);
    case 2:
        return std::make_unique<io_contexts>(on, with.threads, 1);
    case 3:
        return std::make_unique<offloading_context>(on, with.max_threads, handlers::all);
    case 4:
        return std::make_unique<offloading_context>(on, with.max_threads, handlers::blocking);
    default:
        break;
    }
    for (named_strategy const& s : strategies)
        if (name == s.name)
            return std::make_unique<strategic_context>(
                on, strategic_context::options{s.strategy, s.grace(with.grace), with.max_threads});
    throw std::invalid_argument("there is no peer " + std::string(name));
}

outcome simulate(
    machine& on, peer& p, std::vector<task> chains, duration warm_up, duration time)
{
    for (std::size_t i = 0; i != chains.size(); ++i)
    {
        chains[i].chain = i;
        p.submit(chains[i], nullptr);
    }
    on.run_until(on.now() + warm_up);
    tally const before = p.counted();
    duration const cpu = p.cpu_time();
    std::uint64_t const switches = p.switches();
    on.run_until(on.now() + time);
    tally counted = p.counted();
    counted.submitted -= before.submitted;
    counted.begun -= before.begun;
    counted.computed -= before.computed;
    counted.slept -= before.slept;
    return {time, counted, p.cpu_time() - cpu, p.switches() - switches, p.threads()};
}

} // namespace benchmark::simulation
