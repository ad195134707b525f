// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_STALL_PACE_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_STALL_PACE_HPP

#include <asio_ewyk/detail/os/deadline.hpp>

#include <algorithm>
#include <chrono>

namespace asio_ewyk::detail {

// When the stall_monitor looks again, and whether threads that begin a handler are to wake it
// meanwhile. No threads, no clock.
//
// | state  | when                                 | asks | looks                  |
// |--------|--------------------------------------|------|------------------------|
// | awake  | handlers begin or end                | no   | after each interval    |
// | drowsy | none did for an interval             | yes  | once more after one    |
// | asleep | nor until then                       | yes  | not by itself          |
//
// Looks at a running handler come in between, in all states. A handler is seen at the latest an
// interval after it has begun: reports may be late by that.
class stall_pace
{
public:
    using duration = std::chrono::nanoseconds;

    static constexpr duration shortest = std::chrono::milliseconds(2);

    struct step
    {
        bool ask;        // to be woken
        time_point next; // at the latest
    };

    // After a look. `changed`: it has seen that something began or ended. `asked`: to be woken, all
    // the time since the last look. `due`: when a running handler is to be looked at. `threshold`:
    // the least one.
    step after_look(
        time_point now, bool changed, bool asked, time_point due, duration threshold) noexcept
    {
        duration const interval = std::max(shortest, threshold / 10);
        if (changed)
            changed_ = now;
        time_point const drowsy = after(interval, changed_);
        if (now < drowsy)
            return {false, std::min(due, drowsy)};
        if (!asked)
            drowsy_ = now;
        // A handler that began before the request is seen by the next look, which is later than any
        // machine needs to make it visible. Only after that there is no other look.
        time_point const asleep = after(interval, drowsy_);
        return {true, now < asleep ? std::min(due, asleep) : due};
    }

private:
    time_point changed_{}; // the last look that saw a change
    time_point drowsy_{};  // the look that asked to be woken
};

} // namespace asio_ewyk::detail

#endif
