// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "strategic_context.hpp"

#include "strategic_worker.hpp"

#include <algorithm>
#include <utility>

namespace benchmark::simulation {

strategic_context::strategic_context(machine& on, options const& o)
    : machine_(on)
    , options_(o)
    , reserve_(std::min(on.cores(), std::max<std::size_t>(1, o.max_threads / 8)))
    , leases_(on, o.grace, [this](thread& by) { take_over(by); })
{
    workers_.push_back(std::make_unique<worker>(on, *this, 0));
    machine_.start(*workers_.front());
}

strategic_context::~strategic_context() = default;

duration strategic_context::cpu_time() const
{
    duration sum = leases_.cpu_time();
    for (auto const& w : workers_)
        sum += w->cpu_time();
    return sum;
}

std::uint64_t strategic_context::switches() const
{
    std::uint64_t sum = leases_.switches();
    for (auto const& w : workers_)
        sum += w->switches();
    return sum;
}

void strategic_context::accept(task const& t, thread* by)
{
    posted_.push_back(t);
    if (by)
        posting_.use(machine_, *by);
    if (worker* const asleep = std::exchange(in_reactor_, nullptr))
    {
        if (by)
        {
            sleep_.use(machine_, *by);
            by->pay(machine_.cost().asio_task);
        }
        machine_.unpark(*asleep, by);
    }
}

strategic_context::verdict strategic_context::apply(event e, thread& by)
{
    auto const step = right_.apply(e);
    right_word_.use(machine_, by);
    return step.verdict;
}

// Threads

bool strategic_context::wake_idle_caller(job const& j, thread& by)
{
    worker* const idle_caller = std::exchange(parked_idle_caller_, nullptr);
    if (!idle_caller)
        return false;
    idle_caller->assign(j, by);
    machine_.unpark(*idle_caller, &by);
    return true;
}

bool strategic_context::give_parked(job const& j, thread& by)
{
    if (parked_.empty())
        return false;
    worker& woken = *workers_[parked_.extract(parked_.begin()).value()];
    parked_line_.use(machine_, by);
    woken.assign(j, by);
    machine_.unpark(woken, &by);
    return true;
}

void strategic_context::park(std::size_t place, thread& by)
{
    parked_.insert(place);
    parked_line_.use(machine_, by);
}

// With elastic_threads::try_execute.
bool strategic_context::try_start(thread& by)
{
    if (wake_idle_caller({}, by) || give_parked({}, by))
        return true;
    if (arriving_ < reserve_)
        add_thread(by);
    return false;
}

void strategic_context::keep_one_parked(thread& by)
{
    if (!parked_idle_caller_ && parked_.empty() && arriving_ < reserve_)
        add_thread(by);
}

// strategy_engine::may_lease
bool strategic_context::may_lease() const
{
    if (!leases_.pays() || pending_may_wait_)
        return false;
    return options_.strategy == asio_ewyk::strategy_t::execute_produce_consume || parked_idle_caller_
        || (queue_.empty() && (threads() <= options_.max_threads || !parked_.empty()));
}

// strategy_engine::pass_on
void strategic_context::take_over(thread& by)
{
    if (apply(event::hand_over, by) == verdict::start && !wake_idle_caller({}, by)
        && !give_parked({}, by))
        start_production(by);
}

void strategic_context::start_production(thread& by)
{
    if (wake_idle_caller({}, by))
        return;
    pending_may_wait_ = true;
    execute({}, by);
}

void strategic_context::give(task const& t, thread& by)
{
    if (!wake_idle_caller(t, by))
        execute(t, by);
}

// elastic_threads::execute
void strategic_context::execute(job const& j, thread& by)
{
    if (queue_.empty() && give_parked(j, by))
        return;
    queue_line_.use(machine_, by);
    queue_.push_back(j);
    if (arriving_ < queue_.size())
        add_thread(by);
}

void strategic_context::add_thread(thread& by)
{
    if (threads() > options_.max_threads)
        return;
    ++arriving_;
    workers_.push_back(std::make_unique<worker>(machine_, *this, workers_.size()));
    by.pay(machine_.cost().wake_call);
    machine_.start(*workers_.back());
}

} // namespace benchmark::simulation
