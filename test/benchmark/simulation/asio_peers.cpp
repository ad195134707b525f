// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "asio_peers.hpp"

namespace benchmark::simulation {

duration asio_peer::cpu_time() const
{
    duration sum{};
    for (auto const& scheduler : schedulers_)
        for (auto const& t : scheduler.threads())
            sum += t->cpu_time();
    return sum;
}

std::uint64_t asio_peer::switches() const
{
    std::uint64_t sum = 0;
    for (auto const& scheduler : schedulers_)
        for (auto const& t : scheduler.threads())
            sum += t->switches();
    return sum;
}

std::size_t asio_peer::threads() const
{
    std::size_t sum = 0;
    for (auto const& scheduler : schedulers_)
        sum += scheduler.threads().size();
    return sum;
}

io_contexts::io_contexts(machine& on, std::size_t contexts, std::size_t threads)
{
    while (schedulers_.size() != contexts)
        schedulers_.emplace_back(on, *this, threads, true);
}

void io_contexts::accept(task const& t, thread* by)
{
    schedulers_[t.chain % schedulers_.size()].submit(t, by);
}

offloading_context::offloading_context(machine& on, std::size_t threads, handlers which)
{
    schedulers_.emplace_back(on, *this, 1, true, [this, which](task const& t, thread& by) {
        if (which == handlers::blocking && !t.blocks())
            return false;
        schedulers_.back().submit(t, &by);
        return true;
    });
    schedulers_.emplace_back(on, *this, threads, false);
}

void offloading_context::accept(task const& t, thread* by)
{
    schedulers_.front().submit(t, by);
}

} // namespace benchmark::simulation
