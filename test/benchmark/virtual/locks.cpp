// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "locks.hpp"

#include <algorithm>
#include <utility>

namespace virtual_time {

duration cache_line::access(machine const& m) noexcept
{
    time_point const begin = std::max(m.now(), free_);
    bool const here = std::exchange(owner_, m.self().core()) == m.self().core();
    free_ = begin + (here ? m.cost().atomic : m.cost().line_transfer);
    return free_ - m.now();
}

routine<> mutex::lock()
{
    co_await machine_.work(line_.access(machine_));
    if (word_ == word::free)
    {
        word_ = word::locked;
        co_return;
    }
    for (;;)
    {
        co_await machine_.work(line_.access(machine_));
        if (std::exchange(word_, word::awaited) == word::free)
            co_return;
        co_await machine_.work(machine_.cost().system_call);
        if (word_ != word::awaited)
            continue;
        sleepers_.push_back(&machine_.self());
        co_await machine_.sleep_until(forever, thread_state::locks);
    }
}

routine<> mutex::unlock()
{
    co_await machine_.work(line_.access(machine_));
    if (std::exchange(word_, word::free) != word::awaited)
        co_return;
    if (sleepers_.empty())
    {
        co_await machine_.work(machine_.cost().system_call);
        co_return;
    }
    thread& first = *sleepers_.front();
    sleepers_.pop_front();
    machine_.wake(first);
    co_await machine_.work(machine_.cost().wake_call);
}

routine<> event::wait(mutex& lock)
{
    while ((state_ & 1) == 0)
        co_await wait_for_condition(lock, forever);
}

routine<> event::wait_until(mutex& lock, time_point then)
{
    if ((state_ & 1) == 0)
        co_await wait_for_condition(lock, then);
}

routine<> event::wait_for_condition(mutex& lock, time_point then)
{
    state_ += 2;
    waiter me{machine_.self()};
    waiters_.push_back(&me);
    co_await lock.unlock();
    co_await machine_.work(machine_.cost().system_call);
    bool in_time = true;
    while (!me.signalled && in_time)
        in_time = co_await machine_.sleep_until(then, thread_state::locks);
    if (!me.signalled)
        std::erase(waiters_, &me);
    co_await lock.lock();
    state_ -= 2;
}

routine<> event::unlock_and_signal_one(mutex& lock)
{
    state_ |= 1;
    bool const awaited = state_ > 1;
    co_await lock.unlock();
    if (awaited)
        co_await signal();
}

routine<bool> event::maybe_unlock_and_signal_one(mutex& lock)
{
    state_ |= 1;
    if (state_ == 1)
        co_return false;
    co_await lock.unlock();
    co_await signal();
    co_return true;
}

// A waiter that is on its way counts in state_, but is no more there to be signalled to: then glibc
// makes no system call.
routine<> event::signal()
{
    if (waiters_.empty())
        co_return;
    waiter& first = *waiters_.front();
    waiters_.pop_front();
    first.signalled = true;
    if (machine_.wake(first.who))
        co_await machine_.work(machine_.cost().wake_call);
    else
        co_await machine_.work(machine_.cost().system_call);
}

} // namespace virtual_time
