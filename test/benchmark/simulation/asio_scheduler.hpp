// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_SIMULATION_ASIO_SCHEDULER_HPP
#define ASIO_EWYK_TEST_BENCHMARK_SIMULATION_ASIO_SCHEDULER_HPP

#include "load.hpp"
#include "shared_line.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace benchmark::simulation {

/** The scheduler of an io_context or a thread_pool, as Asio 1.81 has it.

    There is one queue; the reactor of an io_context is an entry of it. A thread that takes an entry
    while there are more, or adds one, wakes a thread that waits, else the one that waits in the
    reactor.
*/
class asio_scheduler
{
public:
    /// A handler that does this instead of its task; false: it runs the task.
    using replacement = std::function<bool(task const&, thread& by)>;

    asio_scheduler(machine& on, peer& of, std::size_t threads, bool has_reactor,
        replacement instead = {});

    void submit(task const& t, thread* by);

    std::vector<std::unique_ptr<task_thread>> const& threads() const { return threads_; }

private:
    class runner;

    bool is_alone() const { return threads_.size() == 1; }
    void wake_one(thread* by);

    machine& machine_;
    replacement const instead_;
    std::vector<std::unique_ptr<task_thread>> threads_;
    std::deque<std::optional<task>> queue_; // none: the reactor
    shared_line lock_{2}; // with what it guards
    shared_line sleepers_;
    std::deque<runner*> idle_;
    runner* in_reactor_ = nullptr; // and not interrupted
};

} // namespace benchmark::simulation

#endif
