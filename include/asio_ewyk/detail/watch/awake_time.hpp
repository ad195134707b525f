// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_AWAKE_TIME_HPP
#define ASIO_EWYK_DETAIL_WATCH_AWAKE_TIME_HPP

#include <algorithm>
#include <chrono>

namespace asio_ewyk::detail {

// How long a producer has to do nothing before the watchdog sleeps. A watchdog that sleeps costs
// the producer a system call and two context switches with its next task; a watchdog that stays
// awake costs a switch each few milliseconds. So this time grows while the producer soon wakes the
// watchdog, and is zero where silences last. (The ski rental problem, decided by the last
// silences.)
class awake_time
{
public:
    using duration = std::chrono::nanoseconds;

    // The shortest above zero; zero means: sleep at once.
    static constexpr duration shortest = std::chrono::milliseconds(1);
    static constexpr duration longest = std::chrono::milliseconds(20);

    // A sleep shorter than `soon` was not worth it; one of `late` or longer was.
    static constexpr duration soon = std::chrono::milliseconds(5);
    static constexpr duration late = std::chrono::milliseconds(10);

    duration get() const noexcept { return value_; }

    // The producer has woken the watchdog.
    void woken_after(duration slept) noexcept
    {
        if (slept < soon)
            value_ = std::clamp(2 * value_, shortest, longest);
        else if (slept >= late)
            value_ = value_ > shortest ? value_ / 2 : duration::zero();
    }

private:
    duration value_ = duration::zero();
};

} // namespace asio_ewyk::detail

#endif
