// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_LOAD_BALANCE_HPP
#define ASIO_EWYK_DETAIL_LOOP_LOAD_BALANCE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

// Which of several servers is given the next connection: arithmetic, without clock or threads.
//
// The load of a server is a moving average of its utilisation, with the time constant `memory`.
// Recent connections do not show in that yet; they count extra, and less as they begin to show: one
// of the age t counts as exp(-t / memory) `fresh` ones. The server is chosen with the least
//
//     load + cost * fresh,   cost = caution * (sum of load) / max(sum of fresh, servers)
//
// where `cost` is the load of a connection if only the fresh ones caused all load: rather too much.
// So a burst is spread in proportion to (caution + 1) * mean - load, and not given to one server.
// Among equals chance decides: with turns, connections that differ in a regular order would stay in
// step.
class load_balance
{
public:
    explicit load_balance(std::size_t servers)
        : servers_(servers)
        , left_(servers)
    {
    }

    // For each server its utilisation, 0 to 1, in the time since the last call, and that time in
    // seconds.
    void measured(std::span<double const> utilisation, double seconds) noexcept
    {
        double const kept = std::exp(-seconds / memory);
        for (std::size_t i = 0; i != servers_.size(); ++i)
        {
            server& s = servers_[i];
            double const now = std::clamp(utilisation[i], 0.0, 1.0);
            s.load = now + kept * (s.load - now);
            s.fresh *= kept;
        }
    }

    // That server is chosen no more, unless none is left.
    void leave_out(std::size_t i) noexcept
    {
        left_ -= !std::exchange(servers_[i].gone, true);
    }

    // The server that is given the next one.
    std::size_t choose() noexcept
    {
        double load = 0;
        double fresh = 0;
        for (server const& s : servers_)
            if (counts(s))
            {
                load += s.load;
                fresh += s.fresh;
            }
        double const n = static_cast<double>(left_ != 0 ? left_ : servers_.size());
        double const cost = std::max(caution * load / std::max(fresh, n), least_cost);

        double least = std::numeric_limits<double>::infinity();
        std::size_t chosen = 0;
        unsigned equals = 0;
        for (std::size_t i = 0; i != servers_.size(); ++i)
        {
            double const level = servers_[i].load + cost * servers_[i].fresh;
            if (level > least || !counts(servers_[i]))
                continue;
            equals = level < least ? 1 : equals + 1;
            if (chance_() % equals == 0)
                chosen = i;
            least = level;
        }
        servers_[chosen].fresh += 1;
        return chosen;
    }

    double load(std::size_t i) const noexcept { return servers_[i].load; }

private:
    struct server
    {
        double load = 0;
        double fresh = 0;
        bool gone = false;
    };

    bool counts(server const& s) const noexcept { return !s.gone || left_ == 0; }

    static constexpr double memory = 0.1;
    static constexpr double caution = 2;

    // So that differences between servers that are idle mean nothing.
    static constexpr double least_cost = 0.001;

    std::vector<server> servers_;
    std::size_t left_; // that are not gone
    std::minstd_rand chance_; // the same in each run: tests can be repeated
};

} // namespace asio_ewyk::detail

#endif
