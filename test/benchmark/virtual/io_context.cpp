// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "io_context.hpp"

#include <stdexcept>
#include <utility>

namespace virtual_time {

io_context::io_context(machine& m, bool one_thread)
    : machine_(m)
    , one_thread_(one_thread)
    , mutex_(m)
    , wakeup_event_(m)
{
    push(reactor_);
}

routine<> io_context::run(poll_observer* observer)
{
    call here{observer};
    for (;;)
    {
        co_await lock(here);
        co_await do_run_one(here);
    }
}

routine<std::size_t> io_context::run_one(poll_observer* observer)
{
    call here{observer};
    co_await lock(here);
    std::size_t const n = co_await do_run_one(here);
    co_await unlock(here);
    co_return n;
}

routine<std::size_t> io_context::run_one_for(duration time, poll_observer* observer)
{
    // As Asio's: until the time is over, for a wait may end for nothing.
    time_point const then = machine_.now() + time;
    while (machine_.now() < then)
    {
        call here{observer};
        co_await lock(here);
        std::size_t const n = co_await do_wait_one(here, then);
        co_await unlock(here);
        if (n != 0)
            co_return n;
    }
    co_return 0;
}

routine<std::size_t> io_context::poll_one(poll_observer* observer)
{
    call here{observer};
    co_await lock(here);
    std::size_t const n = co_await do_wait_one(here, time_point::min());
    co_await unlock(here);
    co_return n;
}

routine<> io_context::lock(call& here)
{
    if (!std::exchange(here.has_lock, true))
        co_await mutex_.lock();
}

routine<> io_context::unlock(call& here)
{
    if (std::exchange(here.has_lock, false))
        co_await mutex_.unlock();
}

// What a thread does with the lock, beside taking it.
duration io_context::in_queue() noexcept
{
    return data_.access(machine_) + machine_.cost().handler / 4;
}

void io_context::push(operation& o)
{
    if (std::exchange(o.is_queued, true))
        throw std::logic_error("a handler is in the queue twice");
    queue_.push_back(&o);
}

operation* io_context::take()
{
    operation* const first = queue_.front();
    queue_.pop_front();
    first->is_queued = false;
    return first;
}

routine<std::size_t> io_context::do_run_one(call& here)
{
    for (;;)
    {
        co_await machine_.work(in_queue());
        if (queue_.empty())
        {
            wakeup_event_.clear();
            co_await wakeup_event_.wait(mutex_);
            continue;
        }
        operation* const o = take();
        bool const more = !queue_.empty();
        if (o != &reactor_)
        {
            co_await run_handler(*o, more, here);
            co_return 1;
        }
        reactor_interrupted_ = more;
        if (more && !one_thread_)
        {
            here.has_lock = false;
            co_await wakeup_event_.unlock_and_signal_one(mutex_);
        }
        else
            co_await unlock(here);
        co_await ask_for_io(here, !more, forever);
    }
}

// Also poll_one(), if `then` is over.
routine<std::size_t> io_context::do_wait_one(call& here, time_point then)
{
    bool may_wait = machine_.now() < then;
    co_await machine_.work(in_queue());
    if (queue_.empty() && may_wait)
    {
        wakeup_event_.clear();
        co_await wakeup_event_.wait_until(mutex_, then);
        may_wait = false;
    }
    if (!queue_.empty() && queue_.front() == &reactor_)
    {
        take();
        bool const more = !queue_.empty();
        if (may_wait)
            reactor_interrupted_ = more;
        if (may_wait && more && !one_thread_)
        {
            here.has_lock = false;
            co_await wakeup_event_.unlock_and_signal_one(mutex_);
        }
        else
            co_await unlock(here);
        co_await ask_for_io(here, may_wait && !more, then);
        if (queue_.front() == &reactor_)
        {
            bool unlocked = false;
            if (!one_thread_)
                unlocked = co_await wakeup_event_.maybe_unlock_and_signal_one(mutex_);
            here.has_lock = !unlocked;
            co_return 0;
        }
    }
    if (queue_.empty())
        co_return 0;
    operation* const o = take();
    co_await run_handler(*o, !queue_.empty(), here);
    co_return 1;
}

// With the lock, which is given back. What the handler has posted in this call is pushed under the
// lock, which the next look at the queue uses.
routine<> io_context::run_handler(operation& o, bool more, call& here)
{
    here.has_lock = false;
    if (more && !one_thread_)
        co_await wake_one_thread_and_unlock();
    else
        co_await mutex_.unlock();
    here.work = 0;
    co_await machine_.work(o.memory.access(machine_) + machine_.cost().handler / 2);
    co_await o.run(here);
    if (here.work != 1)
        co_await machine_.work(work_.access(machine_));
    if (here.posted.empty())
        co_return;
    co_await lock(here);
    for (operation* const each : here.posted)
        push(*each);
    here.posted.clear();
}

// Without the lock; returns with it.
routine<> io_context::ask_for_io(call& here, bool waits, time_point then)
{
    if (here.observer)
        here.observer->begin(waits);
    co_await machine_.work(machine_.cost().poll);
    if (waits && !has_interrupt_)
    {
        in_reactor_ = &machine_.self();
        co_await machine_.sleep_until(then, thread_state::polls);
        in_reactor_ = nullptr;
    }
    has_interrupt_ = false;
    if (here.observer)
        here.observer->end();
    co_await lock(here);
    reactor_interrupted_ = true;
    push(reactor_);
}

routine<> io_context::wake_one_thread_and_unlock()
{
    bool const signalled = co_await wakeup_event_.maybe_unlock_and_signal_one(mutex_);
    if (signalled)
        co_return;
    if (!reactor_interrupted_)
    {
        reactor_interrupted_ = true;
        has_interrupt_ = true;
        bool const waits = in_reactor_ && machine_.wake(*in_reactor_);
        co_await machine_.work(waits ? machine_.cost().wake_call : machine_.cost().system_call);
    }
    co_await mutex_.unlock();
}

routine<> io_context::post(operation& o, call* from)
{
    if (one_thread_ && from)
    {
        ++from->work;
        from->posted.push_back(&o);
        co_return;
    }
    co_await machine_.work(work_.access(machine_));
    co_await mutex_.lock();
    co_await machine_.work(in_queue());
    push(o);
    co_await wake_one_thread_and_unlock();
}

} // namespace virtual_time
