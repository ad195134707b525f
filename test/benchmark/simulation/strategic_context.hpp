// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_SIMULATION_STRATEGIC_CONTEXT_HPP
#define ASIO_EWYK_TEST_BENCHMARK_SIMULATION_STRATEGIC_CONTEXT_HPP

#include "leases.hpp"
#include "load.hpp"
#include "shared_line.hpp"

#include <asio_ewyk/detail/engine/production_right.hpp>
#include <asio_ewyk/strategy.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace benchmark::simulation {

/** A strategy_context with a thread in run() and a pool of its own.

    What each thread does is decided by the functions of the library: detail::choose for each task,
    the transitions of detail::production for the right to produce, and what leases.hpp names.
*/
class strategic_context final : public peer
{
public:
    struct options
    {
        asio_ewyk::strategy_t strategy;
        duration grace{};
        std::size_t max_threads = 200; // of the pool; at least 3: no thread is kept for tasks
    };

    strategic_context(machine& on, options const& o);
    ~strategic_context();

    duration cpu_time() const override;
    std::uint64_t switches() const override;
    std::size_t threads() const override { return workers_.size(); }

    /// How many threads produced at the same time, at most.
    std::size_t most_producers() const { return most_producers_; }

private:
    class worker;

    using event = asio_ewyk::detail::production_event;
    using verdict = asio_ewyk::detail::production_verdict;

    // What the pool is asked for: to run a task, or to come and produce.
    using job = std::optional<task>;

    void accept(task const& t, thread* by) override;

    verdict apply(event e, thread& by);

    // Threads
    bool wake_idle_caller(job const& j, thread& by);
    bool give_parked(job const& j, thread& by);
    void park(std::size_t place, thread& by);
    bool try_start(thread& by);
    void keep_one_parked(thread& by);
    bool may_lease() const;
    void take_over(thread& by);
    void start_production(thread& by);
    void give(task const& t, thread& by);
    void execute(job const& j, thread& by);
    void add_thread(thread& by);

    machine& machine_;
    options const options_;
    std::size_t const reserve_;

    asio_ewyk::detail::production_right right_;
    shared_line right_word_;
    leases leases_;
    bool pending_may_wait_ = false; // in the pool's queue

    // The reactor's.
    std::deque<task> posted_;
    shared_line posting_{2}; // with the newest task
    shared_line sleep_{4}; // its flags; of Asio a lock with what it guards, an event, a handler
    worker* in_reactor_ = nullptr; // and none has sent a wake-up

    // The pool's. The first worker is the one in run().
    std::vector<std::unique_ptr<worker>> workers_;
    worker* parked_idle_caller_ = nullptr;
    std::set<std::size_t> parked_; // of the workers; the first one is woken
    shared_line parked_line_;
    std::deque<job> queue_;
    shared_line queue_line_; // with its lock
    std::size_t arriving_ = 0;

    std::size_t producers_ = 0;
    std::size_t most_producers_ = 0;
};

} // namespace benchmark::simulation

#endif
