// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_CHOOSER_IPP
#define ASIO_EWYK_IMPL_CHOOSER_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/loop/chooser.hpp>

#include <chrono>
#include <cstddef>

namespace asio_ewyk {

ASIO_EWYK_DECL std::size_t least_loaded::state::choose(context_group<event_loop> const& group)
{
    auto const now = clock::now();
    if (!balance || cpu_time.size() != group.size()) // or it was used for another group
    {
        cpu_time.resize(group.size());
        utilisation.resize(group.size());
        for (std::size_t i = 0; i != group.size(); ++i)
            cpu_time[i] = group[i].cpu_time();
        measured = now;
        balance.emplace(group.size());
    }
    if (now - measured >= interval)
        measure(group, now);
    for (std::size_t i = 0; i != group.size(); ++i)
        if (group[i].terminated())
            balance->leave_out(i);
    return balance->choose();
}

ASIO_EWYK_DECL void least_loaded::state::measure(
    context_group<event_loop> const& group, clock::time_point now)
{
    using seconds = std::chrono::duration<double>;
    seconds const elapsed = now - measured;
    for (std::size_t i = 0; i != group.size(); ++i)
    {
        auto const used = group[i].cpu_time();
        utilisation[i] = seconds(used - cpu_time[i]) / elapsed;
        cpu_time[i] = used;
    }
    balance->measured(utilisation, elapsed.count());
    measured = now;
}

} // namespace asio_ewyk

#endif
