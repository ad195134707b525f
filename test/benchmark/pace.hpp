// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_PACE_HPP
#define ASIO_EWYK_TEST_BENCHMARK_PACE_HPP

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>

namespace benchmark {

using clock = std::chrono::steady_clock;

/// So often per second.
inline clock::duration interval_of(double rate)
{
    return std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(1 / rate));
}

/** Calls f(i, intended) for i from 0 to n - 1, each at its time or, if this thread is late, as soon
    as possible: a latency that is counted from `intended` omits nothing. Returns at the time at
    which the next one would be. With a pause it sleeps at least that long, and then calls all that
    are due: to wake for each would take a good part of a CPU from what is measured.
*/
template <class F>
void at_pace(clock::duration interval, std::size_t n, F f, clock::duration pause = {})
{
    // By default the system may wake this thread 50 us too late.
    ::prctl(PR_SET_TIMERSLACK, 1);
    auto const began = clock::now();
    auto const at = [&](std::size_t i) { return began + static_cast<clock::rep>(i) * interval; };
    for (std::size_t i = 0; i != n; ++i)
    {
        if (auto const now = clock::now(); now < at(i))
            std::this_thread::sleep_until(std::max(at(i), now + pause));
        f(i, at(i));
    }
    std::this_thread::sleep_until(at(n));
}

} // namespace benchmark

#endif
