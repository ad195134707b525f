// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_SIMULATION_COSTS_HPP
#define ASIO_EWYK_TEST_BENCHMARK_SIMULATION_COSTS_HPP

#include <algorithm>
#include <chrono>

namespace benchmark::simulation {

using duration = std::chrono::nanoseconds;

/// What a machine and its software ask for; the same for all peers and workloads.
struct costs
{
    // Of the system, as benchmark_workload --conditions measures them.

    /// A call that does nothing.
    duration system_call{120};
    /// Until a thread that was woken runs: on the core of the one that woke it, which goes to sleep
    /// then; on a core that is idle.
    duration wake_same_core{1'800};
    duration wake_other_core{5'000};
    /// A call that wakes a thread, which runs on another core at once; which waits for a core.
    duration wake_call{2'000};
    duration wake_call_queued{600};
    /// A call that wakes a thread on the same core, which interrupts the one that calls and sleeps
    /// again: until that one goes on.
    duration interruption{2'000};
    /// By how much a sleep is too long, as it is by default, and with exact timeouts.
    duration sleep_late{60'000};
    duration exact_sleep_late{8'000};
    /// A look at the clock.
    duration clock{30};
    /// Until a core has what another one has written.
    duration line_transfer{100};
    /// An atomic read-modify-write operation on what the core has.
    duration atomic{10};

    // Of the software: to submit a task and to run it, without what the above counts.

    /// With an io_context or a thread_pool of Asio's.
    duration asio_task{150};
    /// With a strategy_context.
    duration strategy_task{60};

    /// From one thread to another one that waits for the same core.
    duration context_switch() const
    {
        return std::max(wake_same_core - wake_call_queued - system_call, duration::zero());
    }

    /// For the thread that is interrupted, besides the calls and the switches to the other thread
    /// and back.
    duration interrupted() const
    {
        return std::max(interruption - wake_call_queued - system_call - 2 * context_switch(),
            duration::zero());
    }
};

} // namespace benchmark::simulation

#endif
