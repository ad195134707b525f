// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_LOG_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_LOG_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/diagnostics/trace_ring.hpp>
#include <asio_ewyk/detail/observe/trace_point.hpp>

#include <boost/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace asio_ewyk::detail {

// What a trace has, so far.
struct trace_content
{
    std::vector<std::shared_ptr<trace_ring>> all;
    std::uint64_t begin = 0; // trace_time()
    std::size_t without_ring = 0; // threads
    std::uint64_t forgotten = 0;  // events of threads that have ended
};

// The trace of this process: the rings of all threads that have recorded something since start().
//
// A ring belongs to the log and to its thread, so either may be gone first. A thread that is about
// to record an event when another trace begins writes it into its ring of the previous one.
//
// A thread that ends a handler has read the clock for its record anyway. So it also compares how
// long the handler has waited and run, keeps what was late, and sets a flag, which a recorder looks
// at.
class BOOST_SYMBOL_VISIBLE trace_log
{
public:
    // Relaxed: a thread that sees it late records a little less, or reads it again in write().
    static bool recording() noexcept { return session_.load(std::memory_order_relaxed) != 0; }

    // Throws std::bad_alloc.
    static void start(std::size_t events_per_thread);

    // Records no more.
    static void halt() noexcept
    {
        trace_recorder::set(nullptr);
        session_.store(0);
    }

    static void stop() noexcept
    {
        halt();
        if (auto const f = stopped_.load(std::memory_order_acquire))
            f();
    }

    static trace_content now();

    // In the child of a fork: nothing was recorded.
    static void forget() noexcept;

    // Called by stop(). Release: the thread that calls it finds what it is for.
    static void at_stop(void (*f)() noexcept) noexcept
    {
        stopped_.store(f, std::memory_order_release);
    }

    // Relaxed: a thread that sees it late says less.
    static void limit(trace_limits l) noexcept
    {
        queued_limit_.store(l.queued, std::memory_order_relaxed);
        ran_limit_.store(l.ran, std::memory_order_relaxed);
    }

    // Whether a handler was late that has ended since this was asked last.
    static bool take_alarm() noexcept
    {
        return alarm_.load(std::memory_order_relaxed)
            && alarm_.exchange(false, std::memory_order_acquire);
    }

private:
    struct state;
    struct keeper;

    struct place
    {
        trace_ring* ring;      // null: there was no memory for one
        std::uint32_t session; // which it belongs to
        bool ended;            // the owner of the ring is gone
    };

    static void write(trace_recorder::event const& e) noexcept;

    // This thread's first event of a session. False if the session is over.
    static bool claim(std::uint32_t session) noexcept;

    static inline thread_local place mine_{nullptr, 0, false};

    // 0: nothing is recorded. Written under mutex, or set to 0 by any thread.
    static inline std::atomic<std::uint32_t> session_{0};

    static inline std::atomic<std::uint64_t> queued_limit_{trace_limits::never};
    static inline std::atomic<std::uint64_t> ran_limit_{trace_limits::never};
    static inline std::atomic<bool> alarm_{false};
    static inline std::atomic<void (*)() noexcept> stopped_{nullptr};
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/diagnostics/trace_log.ipp>
#endif

#endif
