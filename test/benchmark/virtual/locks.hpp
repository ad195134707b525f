// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_LOCKS_HPP
#define ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_LOCKS_HPP

#include "machine.hpp"

#include <cstddef>
#include <deque>

namespace virtual_time {

/** Memory that several cores write. It goes from core to core, to one at a time: what one has to wait
    for grows with the cores that want it.
*/
class cache_line
{
public:
    /// How long an atomic change takes that the present thread begins now.
    duration access(machine const& m) noexcept;

private:
    int owner_ = -1;
    time_point free_{};
};

/// As glibc's: a thread that does not get it sleeps, and another one may be faster when it wakes up.
class mutex
{
public:
    explicit mutex(machine& m) noexcept
        : machine_(m)
    {
    }

    routine<> lock();
    routine<> unlock();

private:
    enum class word
    {
        free,
        locked,
        awaited, // locked, and threads may sleep
    };

    machine& machine_;
    cache_line line_;
    word word_ = word::free;
    std::deque<thread*> sleepers_;
};

/// As boost::asio::detail::posix_event. Each function is called by the thread that has the lock.
class event
{
public:
    explicit event(machine& m) noexcept
        : machine_(m)
    {
    }

    void clear() noexcept { state_ &= ~std::size_t(1); }
    routine<> wait(mutex& lock);
    routine<> wait_until(mutex& lock, time_point then);
    routine<> unlock_and_signal_one(mutex& lock);

    /// False if there is no thread to signal to; then the lock is still locked.
    routine<bool> maybe_unlock_and_signal_one(mutex& lock);

private:
    struct waiter
    {
        thread& who;
        bool signalled = false;
    };

    routine<> wait_for_condition(mutex& lock, time_point then);
    routine<> signal();

    machine& machine_;
    std::size_t state_ = 0; // [waiting threads][signalled 1 bit]
    std::deque<waiter*> waiters_;
};

} // namespace virtual_time

#endif
