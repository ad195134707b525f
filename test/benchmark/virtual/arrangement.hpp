// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_ARRANGEMENT_HPP
#define ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_ARRANGEMENT_HPP

#include "machine.hpp"
#include "strategy.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace virtual_time {

/// Chains of handlers, each of which posts the next one when it is over.
struct workload
{
    int cores = 1;
    duration length{};       ///< of a handler, which computes; give or take a tenth
    std::size_t chains = 16;
    std::size_t sleepers = 0; ///< further chains, whose handlers sleep
    duration sleep = std::chrono::milliseconds(10);
    duration warm_up = std::chrono::milliseconds(200);
    duration time = std::chrono::milliseconds(700);
};

/// Who runs handlers.
struct arrangement
{
    enum class kind
    {
        one_thread, ///< of an io_context
        threads,    ///< several, of one io_context
        loops,      ///< an io_context with a thread for each core, among which chains are dealt
        strategy,   ///< a strategy_context, with one thread in run()
    };

    std::string name{};
    kind is = kind::threads;
    std::size_t threads = 0; ///< 0: one for each core, and one for each chain that sleeps
    strategy_context::options options{};
};

/// Those that are compared; the one that the others are compared with is the first.
std::vector<arrangement> const& arrangements();

struct result
{
    double per_second = 0;     ///< handlers that compute
    double long_per_second = 0; ///< handlers that sleep
    double busy = 0;           ///< cores
    std::size_t threads = 0;
    double together = 0;       ///< the part of the time with helpers
    double taken_over = 0;     ///< handlers a second that another thread has taken over from
};

/** Runs the load in virtual time.

    @throws std::logic_error if a handler of a chain ran before it was posted, or twice; with `checks`
    also if a core was idle while a thread waited for one, or a handler was lost.
*/
result simulate(
    workload const& load, arrangement const& by, costs const& take, bool checks = false);

/** After how long the arrangement runs as many handlers as it does where they have been of that length
    all the time: the first 50 ms with 95 % of them, in steps of 10 ms. Before, for `load.time`,
    handlers have `load.length`. A second if there are none.
*/
duration adapts_after(workload const& load, duration length, arrangement const& by, costs const& take);

} // namespace virtual_time

#endif
