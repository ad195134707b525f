// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_SIMULATION_RUN_QUEUE_HPP
#define ASIO_EWYK_TEST_BENCHMARK_SIMULATION_RUN_QUEUE_HPP

#include "costs.hpp"

#include <vector>

namespace benchmark::simulation {

class run_queue;

/// What a thread has had of a core; all times but `stopped` are of the queue's virtual clock.
struct share
{
    duration ran{};
    duration slice_ends{};      // of the slice that it is to have
    duration protected_until{}; // by then one that wakes interrupts it only if it has run too much
    duration lag{};             // by how much it had run too little when it left
    run_queue const* left = nullptr;
    duration stopped = -std::chrono::hours(1); // when it ran last
};

/** The threads that share a core, the one that runs included, by the rules of Linux since 6.6
    (EEVDF: "earliest eligible virtual deadline first"), all with the same weight.

    - One that has run no more than the mean of all is eligible; of those runs the one whose slice
      is to end first.
    - One that runs is interrupted by one that wakes and would be chosen, but not within its slice
      while it is eligible itself.
    - One that sleeps keeps what it has run too little. What it has run too much it has to wait for,
      also while it sleeps.
*/
class run_queue
{
public:
    explicit run_queue(duration slice)
        : slice_(slice)
    {
    }

    bool empty() const { return members_.empty(); }
    std::size_t size() const { return members_.size(); }
    std::vector<share*> const& members() const { return members_; }

    void add(share& s);
    void remove(share& s);

    /// Which one is to run now; not while it is empty.
    share& choose();

    /// Whether `woken`, which has just been added, interrupts `running`.
    bool interrupts(share const& woken, share const& running) const;

    /// Whether `running` has had its slice.
    bool is_over(share const& running) const { return running.ran >= running.protected_until; }

private:
    share* best(share const* besides) const;
    duration mean() const;

    duration const slice_;
    std::vector<share*> members_; // in the order in which they came
    duration clock_{};            // while it is empty
};

} // namespace benchmark::simulation

#endif
