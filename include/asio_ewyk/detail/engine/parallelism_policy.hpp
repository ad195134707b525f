// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_PARALLELISM_POLICY_HPP
#define ASIO_EWYK_DETAIL_ENGINE_PARALLELISM_POLICY_HPP

#include <asio_ewyk/detail/config.hpp>

#include <chrono>
#include <cstddef>

namespace asio_ewyk::detail {

// Whether handlers are better run by several threads at a time: otherwise a context has one thread
// at work, and that may not be enough. No threads, no clock.
//
// Decides after each window of time, by measurement: when the producer is out of CPU time it
// tries a window with several threads. If more handlers were run, and in the next window as well,
// it stays with several until one is enough again. From time to time it checks whether that is
// still better: loads change, and two windows may have been better by chance. If a try fails, it
// tries again later, after four times as many windows each time; soon again only when one thread
// has been enough for long. Where a handler costs less than any wake-up it does not try.
class parallelism_policy
{
public:
    using duration = std::chrono::nanoseconds;

    // What happened in a window.
    struct window
    {
        duration time;
        std::size_t handlers;
        duration busy; // the producer, with handlers and with the search for them
        duration used; // CPU time of all threads
    };

    // After a window: whether one thread is to run handlers in the next one.
    bool alone_after(window const& w) noexcept;

    // Whether it has to know how many handlers the next window has.
    bool is_due() const noexcept { return state_ != state::alone || wait_ <= 1; }

private:
    enum class state
    {
        alone,
        starting, // threads have to wake up first
        trying,
        confirming, // that it was not better by chance
        together,
        checking, // alone, to compare
    };

    static double rate(window const& w) noexcept;
    static bool better(window const& one, window const& other) noexcept;
    bool tries_after(window const& w) noexcept;
    bool stay_alone() noexcept;

    // Less may be chance.
    static constexpr double gain = 0.125;

    // A system call at least.
    static constexpr duration shortest = std::chrono::microseconds(1);

    // In windows.
    static constexpr int longest_pause = 128;
    static constexpr int first_check = 64;
    static constexpr int longest_check = 512;

    state state_ = state::alone;
    window before_{};
    int wait_ = 1;            // windows until the next try, or the next check
    int pause_ = 1;           // after the next try that was in vain: four times that
    int check_ = first_check; // after the next check that was: twice that
    int enough_ = 0;          // windows in a row in which one thread was
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/engine/parallelism_policy.ipp>
#endif

#endif
