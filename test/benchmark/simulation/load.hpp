// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_SIMULATION_LOAD_HPP
#define ASIO_EWYK_TEST_BENCHMARK_SIMULATION_LOAD_HPP

#include "machine.hpp"

#include <cstddef>
#include <cstdint>

namespace benchmark::simulation {

/// A handler of a chain: it computes, then sleeps, and is submitted again.
struct task
{
    duration computes{};
    duration sleeps{};
    std::size_t chain = 0;
    std::size_t core = 0; // that has it, and what it works on, in its cache

    bool blocks() const { return sleeps != duration::zero(); }
};

/// How many tasks have been submitted, begun and run, those that sleep apart.
struct tally
{
    std::uint64_t submitted = 0;
    std::uint64_t begun = 0;
    std::uint64_t computed = 0;
    std::uint64_t slept = 0;

    std::uint64_t run() const { return computed + slept; }
};

/// What runs tasks on threads of its own.
class peer
{
public:
    virtual ~peer() = default;

    /// `by` is the thread that submits it and pays for it; null: one outside.
    void submit(task const& t, thread* by)
    {
        ++counted_.submitted;
        accept(t, by);
    }

    tally const& counted() const { return counted_; }

    virtual duration cpu_time() const = 0;
    virtual std::uint64_t switches() const = 0;
    virtual std::size_t threads() const = 0; // that run tasks

protected:
    virtual void accept(task const& t, thread* by) = 0;

private:
    friend class task_thread;
    tally counted_;
};

/// A thread that runs tasks.
class task_thread : public thread
{
public:
    task_thread(machine& on, peer& of)
        : machine_(on)
        , peer_(of)
    {
    }

protected:
    static constexpr step go_on() { return {}; }

    /// Until it is woken.
    step park(duration until = duration::max())
    {
        pay(machine_.cost().system_call);
        return {step::kind::park, until};
    }

    /// Where next() is called again, the task is to be finished.
    step begin(task const& t, duration overhead)
    {
        ++peer_.counted_.begun;
        task_ = t;
        pay(overhead + machine_.vary(t.computes));
        if (t.core != core())
            pay(2 * machine_.cost().line_transfer); // the handler, and what that works on
        if (!t.blocks())
            return go_on();
        pay(machine_.cost().system_call);
        return {step::kind::sleep, t.sleeps};
    }

    void finish()
    {
        ++(task_.blocks() ? peer_.counted_.slept : peer_.counted_.computed);
        task_.core = core();
        peer_.submit(task_, this);
    }

    task const& current() const { return task_; }

    machine& machine_;

private:
    peer& peer_;
    task task_;
};

} // namespace benchmark::simulation

#endif
