// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_PARALLELISM_POLICY_HPP
#define ASIO_EWYK_DETAIL_ENGINE_PARALLELISM_POLICY_HPP

#include <asio_ewyk/detail/config.hpp>

#include <chrono>
#include <cstddef>

namespace asio_ewyk::detail {

// Decides whether handlers are better run by several threads at a time: one thread may not be
// enough. No threads, no clock.
//
// The policy decides after each window of time, by measurement. When the producer is out of CPU
// time, the policy tries a window with several threads. If more handlers were run, and in the next
// window as well, the policy stays with several threads until one is enough again. From time to
// time it checks whether that is still better: loads change, and two windows may have been better
// by chance. If a try fails, the next one comes later, after four times as many windows each time;
// soon again only when one thread has been enough for long, or handlers have become clearly longer.
// Where a handler costs less than any wake-up there is no try.
//
// Between two tries handlers are not counted, as that costs something. But the producer polls for
// I/O after each run through the queue. If it does so clearly less often, handlers are counted in
// the next window. If they are longer there is a try. If not, there were more of them in the queue,
// or the producer had less CPU time; and polls have to become as many times fewer again.
class parallelism_policy
{
public:
    using duration = std::chrono::nanoseconds;

    // What happened in a window.
    struct window
    {
        duration time;
        std::size_t handlers; // 0 if they were not counted
        std::size_t polls;    // for I/O, by the producer
        duration busy;        // how long the producer ran handlers, or looked for them
        duration used;        // CPU time of all threads that ran handlers
    };

    // After a window: whether one thread alone is to run handlers in the next window.
    bool alone_after(window const& w) noexcept;

    // Whether the handlers of the next window have to be counted.
    bool is_due() const noexcept { return state_ != state::alone || wait_ <= 1; }

private:
    // A smaller gain may be chance.
    static constexpr double gain = 0.125;

    // A load has changed if it has so many times the handlers or polls that it had.
    static constexpr double change = 4;

    enum class state
    {
        alone,
        counting, // alone, to see whether handlers are longer than at the last try
        starting, // several: threads have to wake up first
        trying,
        confirming, // that several were not better by chance
        together,
        checking, // alone again, to compare
    };

    static double rate(std::size_t n, window const& w) noexcept;
    static bool better(window const& one, window const& other, double times = 1 + gain) noexcept;
    static bool is_busy(window const& w) noexcept { return w.busy * 10 >= w.time * 9; }
    bool tries_after(window const& w) noexcept;
    bool stay_alone() noexcept;

    // Handlers that take less are not worth a wake-up, which is a system call at least.
    static constexpr duration shortest = std::chrono::microseconds(1);

    // In windows.
    static constexpr int longest_pause = 128;
    static constexpr int first_check = 64;
    static constexpr int longest_check = 512;

    state state_ = state::alone;
    window before_{};         // to compare with, or what the last one was compared with
    double polls_ = 0;        // in a nanosecond: handlers are counted below a quarter of that
    int wait_ = 1;            // windows until the next try, or the next check
    int pause_ = 1;           // windows to the last try: four times that after one in vain
    int check_ = first_check; // windows to the last check: twice that after one in vain
    int enough_ = 0;          // windows in a row in which one thread was enough
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/engine/parallelism_policy.ipp>
#endif

#endif
