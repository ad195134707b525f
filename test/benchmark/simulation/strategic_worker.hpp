// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_SIMULATION_STRATEGIC_WORKER_HPP
#define ASIO_EWYK_TEST_BENCHMARK_SIMULATION_STRATEGIC_WORKER_HPP

#include "strategic_context.hpp"

#include <cstddef>
#include <cstdint>

namespace benchmark::simulation {

/// A thread of a strategic_context: the one that is in run(), or one of its pool.
class strategic_context::worker final : public task_thread
{
public:
    worker(machine& on, strategic_context& of, std::size_t place)
        : task_thread(on, of)
        , of_(of)
        , place_(place)
    {
    }

    bool is_caller() const { return place_ == 0; }

    /// What it is woken for.
    void assign(job const& j, thread& by)
    {
        job_line_.use(machine_, by);
        job_ = j;
        doing_ = what::has_job;
    }

private:
    // What it does while time passes; it goes on from there.
    enum class what
    {
        arrives,     // a new thread
        looks,       // for something to do
        has_job,     // it was given one
        produces,    // nothing else
        chooses,     // what to do with a task that it has produced
        waits,       // in the reactor
        consumes,    // a task that it was given
        produces_on, // after the task that it runs
        leases,      // the right to produce, during the task that it runs
        ends_lease,
        handed_over, // that right, before the task that it runs
        resumes,     // to produce, if no other one does
    };

    step next() override;
    step go_and_look();
    step look();
    step work(job const& j);
    step arrive();
    step enter(verdict v);
    step produce();
    step choose_for(task const& t);
    step run(task const& t, what then);
    step end_lease();
    step resume();
    step resume_after_task();
    bool hand_over();
    void left_idle() override { of_.leases_.blocked(*this); }

    strategic_context& of_;
    std::size_t const place_;
    what doing_ = what::arrives;
    job job_;
    shared_line job_line_{3}; // with what it sleeps on, and the pool's count of what runs
    task produced_;
    leases::number lease_ = 0;
    duration cpu_before_{}; // the task, where it is measured
    bool spreads_ = false;
};

} // namespace benchmark::simulation

#endif
