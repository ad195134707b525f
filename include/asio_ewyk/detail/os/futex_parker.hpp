// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_FUTEX_PARKER_HPP
#define ASIO_EWYK_DETAIL_OS_FUTEX_PARKER_HPP

#include <asio_ewyk/detail/os/deadline.hpp>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>

namespace asio_ewyk::detail {

// A parker for Linux; see parker.hpp. A hand-over takes two system calls, one to sleep and one to
// wake; with condition_parker the thread that is woken can find the mutex still locked.
class futex_parker
{
public:
    void unpark() noexcept
    {
        // Release: what the thread is woken for.
        if (state_.exchange(signalled, std::memory_order_release) != asleep)
            return;
        // The object may be gone by now. If another thread sleeps on a later futex at this address
        // it wakes spuriously, which every user of a futex expects.
        int const error = errno;
        ::syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
        errno = error;
    }

    bool park_until(time_point deadline) noexcept
    {
        // Acquire, wherever it may read `signalled`: what unpark() released.
        std::uint32_t now = empty;
        if (state_.compare_exchange_strong(now, asleep, std::memory_order_acquire))
            while (state_.load(std::memory_order_acquire) == asleep)
                if (!sleep_until(deadline))
                {
                    now = asleep;
                    if (state_.compare_exchange_strong(now, empty, std::memory_order_acquire))
                        return false;
                }
        // Sequentially consistent: a signal that comes from now on must stay, also if it announces
        // what this thread reads next.
        state_.exchange(empty);
        return true;
    }

private:
    static constexpr std::uint32_t empty = 0;
    static constexpr std::uint32_t asleep = 1;    // the thread sleeps, or is about to
    static constexpr std::uint32_t signalled = 2; // it is to wake, or need not go to sleep

    // False if the deadline came first.
    bool sleep_until(time_point deadline) noexcept
    {
        std::timespec const moment = to_timespec(deadline);
        // The bitset form: an absolute time, by steady_clock's own clock.
        return ::syscall(SYS_futex, &state_, FUTEX_WAIT_BITSET_PRIVATE, asleep,
                   deadline == forever ? nullptr : &moment, nullptr, FUTEX_BITSET_MATCH_ANY)
            == 0
            || errno != ETIMEDOUT;
    }

    static std::timespec to_timespec(time_point t) noexcept
    {
        auto const time = t.time_since_epoch();
        auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
        std::chrono::nanoseconds const rest = time - seconds;
        return {static_cast<std::time_t>(seconds.count()), static_cast<long>(rest.count())};
    }

    // Written by the thread that sleeps, and by those that wake it.
    std::atomic<std::uint32_t> state_{empty};
    static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
};

} // namespace asio_ewyk::detail

#endif
