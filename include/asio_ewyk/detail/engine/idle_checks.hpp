// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_IDLE_CHECKS_HPP
#define ASIO_EWYK_DETAIL_ENGINE_IDLE_CHECKS_HPP

#include <asio_ewyk/detail/os/deadline.hpp>

#include <algorithm>
#include <chrono>

namespace asio_ewyk::detail {

// When the watchdog checks a producer again that waits for I/O. No threads, no clock.
//
// A native handler that ends the wait tells nothing. If it blocks, the others wait for the next
// check: for some 12 ms where something has run in the last second, else for a tenth of a second.
// A task that rouses the watchdog has it check at once, and the time counts from there: so a check
// that is put off comes in time for what begins after that task.
//
// Where nothing has run at all yet, or the system tells nothing, the silence doubles from check to
// check, which is some 20 times in a day.
namespace idle_checks {

inline constexpr std::chrono::seconds lately{1};
inline constexpr std::chrono::milliseconds soon{12};
inline constexpr std::chrono::milliseconds seldom{100};

// The early ones are at multiples of that, so that the watchdog wakes once for several producers.
inline constexpr std::chrono::milliseconds step{4};

// `progress`: when something was seen to run last. `has_run`: whether anything has. `tells`:
// whether the system tells that a thread has blocked; if not, a check finds nothing.
inline time_point next(time_point now, time_point progress, bool has_run, bool tells) noexcept
{
    std::chrono::nanoseconds const silence = now - progress;
    if (!tells || !has_run)
        return after(std::max<std::chrono::nanoseconds>(silence, seldom), now);
    if (silence >= lately)
        return after(seldom, now);
    time_point const due = now + soon;
    return due - due.time_since_epoch() % step;
}

} // namespace idle_checks

} // namespace asio_ewyk::detail

#endif
