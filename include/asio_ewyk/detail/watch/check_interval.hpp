// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_CHECK_INTERVAL_HPP
#define ASIO_EWYK_DETAIL_WATCH_CHECK_INTERVAL_HPP

#include <algorithm>
#include <chrono>

namespace asio_ewyk::detail {

// How long the watchdog waits between two checks of a lease. No threads, no clock.
//
// A check costs some microseconds. A late task that the sentinel missed costs on average half an
// interval of production, and the second check. A check that sees progress makes the interval
// longer by a sixteenth, a late task halves it. So there are about eleven checks for a late task;
// where tasks are late some hundred times a second, that is about the least sum of both costs.
// Beyond `usual` the interval grows by a 64th only, and reaches `longest` in some 0.6 s.
class check_interval
{
public:
    using duration = std::chrono::nanoseconds;

    static constexpr duration shortest = std::chrono::microseconds(20); // as long as a wake-up
    static constexpr duration usual = std::chrono::milliseconds(1);
    static constexpr duration longest = std::chrono::milliseconds(10);

    // Where Asio tells of each handler. Then the age of one that is seen for the first time is
    // known, so this is how late one that sleeps is noticed, or that computes for as long.
    static constexpr duration longest_tracked = std::chrono::milliseconds(4);

    explicit check_interval(duration grace, duration most = longest) noexcept
        : most_(most)
        , least_(std::clamp(grace, shortest, most))
        , value_(std::max(least_, usual))
    {
    }

    duration get() const noexcept { return value_; }

    // A task was within its grace.
    void grow() noexcept
    {
        value_ = std::min(value_ + value_ / (value_ < usual ? 16 : 64), most_);
    }

    // A task was late.
    void shrink() noexcept { value_ = std::max(std::min(value_, usual) / 2, least_); }

    // A task was late that computes: the interval becomes 2 ms, if it was longer. To catch more of
    // those that compute for a millisecond is of no use, as a thread that takes over would only
    // take turns with them on the CPU.
    void computed() noexcept { value_ = std::min(value_, std::max(least_, 2 * usual)); }

    // There was no task for a while: what comes next may be of another kind.
    void reset() noexcept { value_ = std::max(std::min(value_, usual), least_); }

private:
    duration const most_;
    duration const least_;
    duration value_;
};

} // namespace asio_ewyk::detail

#endif
