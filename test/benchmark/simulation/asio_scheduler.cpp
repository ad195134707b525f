// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "asio_scheduler.hpp"

#include <utility>

namespace benchmark::simulation {

class asio_scheduler::runner final : public task_thread
{
public:
    runner(machine& on, peer& of, asio_scheduler& from)
        : task_thread(on, of)
        , from_(from)
    {
    }

private:
    step next() override
    {
        if (std::exchange(busy_, false))
        {
            finish();
            // What it has submitted takes its time before it looks for more.
            return go_on();
        }
        if (std::exchange(polled_, false))
        {
            if (from_.in_reactor_ == this)
                from_.in_reactor_ = nullptr;
            from_.queue_.emplace_back();
        }
        from_.lock_.use(machine_, *this);
        if (from_.queue_.empty())
        {
            from_.idle_.push_back(this);
            from_.sleepers_.use(machine_, *this);
            return park();
        }
        auto const entry = from_.queue_.front();
        from_.queue_.pop_front();
        return entry ? run(*entry) : poll();
    }

    step poll()
    {
        polled_ = true;
        if (from_.queue_.empty())
        {
            from_.in_reactor_ = this;
            return park();
        }
        pay(machine_.cost().system_call);
        if (!from_.is_alone() && !from_.idle_.empty())
            from_.wake_one(this);
        return go_on();
    }

    step run(task const& t)
    {
        if (!from_.is_alone() && !from_.queue_.empty())
            from_.wake_one(this);
        if (from_.instead_ && from_.instead_(t, *this))
        {
            pay(machine_.cost().asio_task);
            return go_on();
        }
        busy_ = true;
        return begin(t, machine_.cost().asio_task);
    }

    asio_scheduler& from_;
    bool busy_ = false;   // with a task
    bool polled_ = false; // and the reactor is to be put back into the queue
};

asio_scheduler::asio_scheduler(
    machine& on, peer& of, std::size_t threads, bool has_reactor, replacement instead)
    : machine_(on)
    , instead_(std::move(instead))
{
    if (has_reactor)
        queue_.emplace_back();
    while (threads_.size() != threads)
    {
        threads_.push_back(std::make_unique<runner>(on, of, *this));
        machine_.start(*threads_.back());
    }
}

void asio_scheduler::submit(task const& t, thread* by)
{
    queue_.emplace_back(t);
    if (by)
        lock_.use(machine_, *by);
    // A context that is told of its only thread does not wake it from that thread.
    if (!is_alone() || by != threads_.front().get())
        wake_one(by);
}

void asio_scheduler::wake_one(thread* by)
{
    runner* woken = nullptr;
    if (!idle_.empty())
    {
        woken = idle_.front();
        idle_.pop_front();
    }
    else
        woken = std::exchange(in_reactor_, nullptr);
    if (!woken)
        return;
    if (by)
        sleepers_.use(machine_, *by);
    machine_.unpark(*woken, by);
}

} // namespace benchmark::simulation
