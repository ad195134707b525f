// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TRACKING_TRACKING_THREAD_HPP
#define ASIO_EWYK_DETAIL_TRACKING_TRACKING_THREAD_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/thread_end.hpp>

#include <boost/config.hpp>

#include <atomic>

// Asio includes what is in this folder from its own headers: nothing here includes one of those.

namespace asio_ewyk::detail {

class completion_scope;
class tracked_location;

// A lane is what one thread at a time writes without an atomic read-modify-write: free records,
// numbers of handlers, and counters. A thread has one from its first operation until its end; then
// another thread takes it over as it is. The threads for which no lane is left, and those that are
// ending, share one more.
inline constexpr unsigned tracking_lanes = 64;
inline constexpr unsigned shared_tracking_lane = tracking_lanes;

// What a thread knows of the handlers that it runs and the locations that it is at. Read and
// written by that thread alone.
class BOOST_SYMBOL_VISIBLE tracking_thread
{
public:
    tracking_thread(tracking_thread const&) = delete;
    tracking_thread& operator=(tracking_thread const&) = delete;

    // Not inlined: a stackful coroutine may go on, on another thread.
    BOOST_NOINLINE static tracking_thread& mine() noexcept
    {
        if (mine_.lane_ == none) [[unlikely]]
            claim();
        return mine_;
    }

    unsigned lane() const noexcept { return lane_; }

    completion_scope* running = nullptr; // the innermost
    tracked_location* place = nullptr;   // the innermost

private:
    struct at_thread_end;

    static constexpr unsigned none = ~0u;

    constexpr tracking_thread() noexcept = default;

    static void claim() noexcept;

    unsigned lane_ = none;

    // Whether a thread has the lane. Acquire and release: the next one finds what the last one did.
    static inline std::atomic<bool> taken_[tracking_lanes]{};

    // Has no destructor: handlers may be destroyed by the last thing that a thread does.
    static constinit thread_local tracking_thread mine_;
};

inline constinit thread_local tracking_thread tracking_thread::mine_;

struct tracking_thread::at_thread_end
{
    unsigned lane;

    ~at_thread_end()
    {
        // On Windows nothing of that thread comes later.
        if constexpr (!outlives_thread_locals)
            mine_.lane_ = shared_tracking_lane;
        taken_[lane].store(false, std::memory_order_release);
    }
};

ASIO_EWYK_COLD inline void tracking_thread::claim() noexcept
{
    unsigned lane = 0;
    // Relaxed: spares an exchange where it could not succeed.
    while (lane != tracking_lanes
        && (taken_[lane].load(std::memory_order_relaxed)
            || taken_[lane].exchange(true, std::memory_order_acquire)))
        ++lane;
    mine_.lane_ = lane;
    if (lane == shared_tracking_lane)
        return;
    try
    {
        until_thread_end<at_thread_end> const end(lane);
    }
    catch (...)
    {
        // Without memory for that no other thread has the lane later.
    }
}

} // namespace asio_ewyk::detail

#endif
