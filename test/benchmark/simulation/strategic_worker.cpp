// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "strategic_worker.hpp"

#include <asio_ewyk/detail/engine/choose.hpp>

#include <algorithm>
#include <utility>

namespace benchmark::simulation {

namespace {

using asio_ewyk::detail::choose;
using asio_ewyk::detail::production_state;
using asio_ewyk::detail::sub_strategy;
using asio_ewyk::invocation_t;
using asio_ewyk::strategy_t;

// Of the engine, the reactor and the pool for each such task, besides those for any task.
constexpr int atomics_to_hand_over = 7;
constexpr int atomics_to_lease = 1;
constexpr int atomics_to_look = 4;

} // namespace

step strategic_context::worker::next()
{
    switch (doing_)
    {
    case what::arrives:
        if (is_caller())
            return enter(of_.apply(event::enter, *this));
        --of_.arriving_;
        return go_and_look();
    case what::looks:
        return look();
    case what::has_job:
        job_line_.use(machine_, *this);
        return work(job_);
    case what::waits:
        of_.sleep_.use(machine_, *this);
        doing_ = what::produces;
        return go_on();
    case what::produces:
        return produce();
    case what::chooses:
        return choose_for(produced_);
    case what::consumes:
        finish();
        return go_and_look();
    case what::produces_on:
        finish();
        doing_ = what::produces;
        return go_on();
    case what::leases:
        finish();
        doing_ = what::ends_lease;
        return go_on();
    case what::ends_lease:
        return end_lease();
    case what::handed_over:
        finish();
        doing_ = what::resumes;
        return go_on();
    case what::resumes:
        return resume_after_task();
    }
    return go_on();
}

// Until it has looked, it is not parked, and cannot be woken.
step strategic_context::worker::go_and_look()
{
    of_.queue_line_.use(machine_, *this);
    pay(atomics_to_look * machine_.cost().atomic);
    doing_ = what::looks;
    return go_on();
}

step strategic_context::worker::look()
{
    if (is_caller() && of_.right_.now().state == production_state::idle
        && of_.apply(event::enter, *this) == verdict::produce)
        return enter(verdict::produce);
    if (!of_.queue_.empty())
    {
        job const next = of_.queue_.front();
        of_.queue_.pop_front();
        return work(next);
    }
    doing_ = what::looks;
    if (is_caller())
        of_.parked_idle_caller_ = this;
    else
    {
        of_.park(place_, *this);
        pay(machine_.cost().clock + machine_.cost().system_call); // for a deadline: a timer
    }
    return park();
}

step strategic_context::worker::work(job const& j)
{
    return j ? run(*j, what::consumes) : arrive();
}

// It was asked to come and produce.
step strategic_context::worker::arrive()
{
    of_.pending_may_wait_ = false;
    verdict const v = of_.apply(event::arrive, *this);
    if (v == verdict::produce && of_.leases_.in_use())
        of_.keep_one_parked(*this);
    return enter(v);
}

step strategic_context::worker::enter(verdict v)
{
    if (v != verdict::produce)
        return go_and_look();
    ++of_.producers_;
    of_.most_producers_ = std::max(of_.most_producers_, of_.producers_);
    if (of_.leases_.pays())
        of_.leases_.producer_is(*this);
    doing_ = what::produces;
    return go_on();
}

step strategic_context::worker::produce()
{
    of_.in_reactor_ = nullptr;
    if (of_.posted_.empty())
    {
        of_.in_reactor_ = this;
        of_.sleep_.use(machine_, *this);
        doing_ = what::waits;
        return park();
    }
    of_.posting_.use(machine_, *this);
    produced_ = of_.posted_.front();
    of_.posted_.pop_front();
    pay(machine_.cost().strategy_task / 2);
    doing_ = what::chooses;
    return go_on();
}

step strategic_context::worker::run(task const& t, what then)
{
    doing_ = then;
    return begin(t, machine_.cost().strategy_task / 2);
}

// strategy_engine::consume, with tasks that may block on threads that may.
step strategic_context::worker::choose_for(task const& t)
{
    strategy_t const s = of_.options_.strategy;
    invocation_t const i = invocation_t::blocking;
    bool const may_hand_over = choose(s, i, true, true) == sub_strategy::execute_produce_consume;
    if (may_hand_over && of_.leases_.in_use())
    {
        of_.leases_.count(*this);
        if (of_.may_lease())
        {
            --of_.producers_;
            lease_ = of_.leases_.begin(*this);
            pay(atomics_to_lease * machine_.cost().atomic);
            return run(t, what::leases);
        }
    }
    spreads_ = of_.leases_.in_use() && !of_.leases_.pays();
    switch (choose(s, i, true, may_hand_over && hand_over()))
    {
    case sub_strategy::produce_execute_consume:
        of_.give(t, *this);
        doing_ = what::produces;
        return go_on();
    case sub_strategy::execute_produce_consume:
        pay(atomics_to_hand_over * machine_.cost().atomic
            + (spreads_ ? 2 * machine_.cost().system_call : duration::zero()));
        cpu_before_ = cpu_time();
        return run(t, what::handed_over);
    case sub_strategy::produce_consume:
    case sub_strategy::produce_invoke_consume:
        break;
    }
    return run(t, what::produces_on);
}

bool strategic_context::worker::hand_over()
{
    bool const waits = of_.options_.strategy == strategy_t::execute_produce_consume;
    if (!waits && of_.pending_may_wait_)
        return false;
    --of_.producers_;
    if (of_.apply(event::hand_over, *this) != verdict::start)
        return true;
    if (waits)
    {
        of_.start_production(*this);
        return true;
    }
    if (of_.try_start(*this) || of_.apply(event::take_back, *this) != verdict::produce)
        return true;
    ++of_.producers_;
    return false;
}

step strategic_context::worker::end_lease()
{
    return of_.leases_.end(lease_) ? enter(verdict::produce) : resume();
}

step strategic_context::worker::resume()
{
    return enter(of_.apply(event::resume, *this));
}

step strategic_context::worker::resume_after_task()
{
    if (spreads_)
        of_.leases_.ran(cpu_time() - cpu_before_);
    return resume();
}

} // namespace benchmark::simulation
