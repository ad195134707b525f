// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_WATCHED_LEASE_HPP
#define ASIO_EWYK_DETAIL_WATCH_WATCHED_LEASE_HPP

#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/observe/record_list.hpp>
#include <asio_ewyk/detail/os/thread_probe.hpp>

#include <boost/config.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>

namespace asio_ewyk::detail {

class watchdog_client;

// A lease, and what a sentinel has to know of it. Never freed, but used again, with numbers that go
// on: a sentinel may read a lease whose context is gone.
class BOOST_SYMBOL_VISIBLE watched_lease final : public record_list<watched_lease>
{
public:
    using duration = std::chrono::nanoseconds;

    watched_lease() noexcept = default;

    // Throws std::bad_alloc.
    static watched_lease& take(duration grace)
    {
        watched_lease* one = unused();
        if (!one && !(one = add()))
            throw std::bad_alloc();
        one->right.reset();
        one->grace_.store(grace, std::memory_order_relaxed);
        return *one;
    }

    // Release: the thread that takes the lease next writes after this one.
    void give_back() noexcept { used_.store(false, std::memory_order_release); }

    duration grace() const noexcept { return grace_.load(std::memory_order_relaxed); }

    // A sentinel: its CPU has been idle for the grace, although that lease's task has begun there,
    // and the thread is in that state. The sentinel wakes the watchdog afterwards.
    void tell(lease::number n, thread_probe::state thread) noexcept
    {
        told_.store(n << 3 | static_cast<unsigned>(thread), std::memory_order_relaxed);
    }

    // The watchdog takes what a sentinel has told of that lease; unknown: nothing.
    thread_probe::state take_told(lease::number n) noexcept
    {
        if (told_.load(std::memory_order_relaxed) == 0)
            return thread_probe::state::unknown;
        auto const told = told_.exchange(0, std::memory_order_relaxed);
        return told >> 3 == n ? static_cast<thread_probe::state>(told & 7)
                              : thread_probe::state::unknown;
    }

    lease right;

    // The client that checks this lease when a sentinel has told of it. Guarded by the watchdog's
    // mutex.
    watchdog_client* client = nullptr;

private:
    // Relaxed: a sentinel that reads an old value tells too early, or too late.
    std::atomic<duration> grace_{};

    // Layout: [number of the lease 61 bits][state of its thread 3 bits]; 0: nothing is told.
    std::atomic<std::uint64_t> told_{0};
};

} // namespace asio_ewyk::detail

#endif
