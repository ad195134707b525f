// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_RING_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_RING_HPP

#include <asio_ewyk/detail/observe/task_action.hpp>
#include <asio_ewyk/detail/observe/trace_event.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>

#include <boost/config.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace asio_ewyk::detail {

inline std::uint64_t trace_time() noexcept
{
    return static_cast<std::uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

struct trace_record
{
    std::uint64_t time; // nanoseconds of the steady clock
    void const* subject;
    task_action what;
    std::uint32_t detail;
    trace_event event;
};

// The last events of one thread. Its own thread pushes; any thread may look at any time.
//
// The thread never waits, and overwrites the oldest record. So a reader may read records that
// change meanwhile, and recognizes them: after a part of a new record it reads a count that
// includes the previous record, at least. For that the parts are stored with release, which costs
// nothing on x86, and loaded with acquire.
class trace_ring
{
public:
    // Throws std::bad_alloc. The ring has one slot more than can be read: the thread may overwrite
    // the oldest meanwhile.
    explicit trace_ring(std::size_t capacity)
        : size_(std::max(capacity, capacity + 1))
        , slots_(std::make_unique<slot[]>(size_))
        , thread_(this_thread_id())
        , name_(name_of_this_thread())
    {
    }

    trace_ring(trace_ring const&) = delete;
    trace_ring& operator=(trace_ring const&) = delete;

    // How many records there were.
    std::uint64_t recorded() const noexcept { return count_.load(std::memory_order_acquire); }

    thread_id thread() const noexcept { return thread_; }
    std::string const& name() const noexcept { return name_; }

    // The thread that owns the ring.
    void push(trace_record const& r) noexcept
    {
        std::uint64_t const n = count_.load(std::memory_order_relaxed);
        slots_[next_].write(r);
        next_ = next_ + 1 == size_ ? 0 : next_ + 1;
        // Release: a thread that reads the count sees all that it counts.
        count_.store(n + 1, std::memory_order_release);
    }

    // Any thread. The records, oldest first; returns how many there were before these.
    std::uint64_t copy_to(std::vector<trace_record>& records) const
    {
        std::uint64_t const end = count_.load(std::memory_order_acquire);
        std::uint64_t const begin = end < size_ ? 0 : end - size_ + 1;
        records.clear();
        records.reserve(static_cast<std::size_t>(end - begin));
        for (std::uint64_t i = begin; i != end; ++i)
            records.push_back(slots_[static_cast<std::size_t>(i % size_)].read());
        // The thread may have begun one record more than it has counted since. Relaxed: see above.
        std::uint64_t const now = count_.load(std::memory_order_relaxed);
        std::uint64_t const intact = now < size_ ? 0 : now - size_ + 1;
        std::uint64_t const lost = std::clamp(intact, begin, end) - begin;
        records.erase(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(lost));
        return begin + lost;
    }

private:
    struct slot
    {
        std::atomic<std::uint64_t> time{0};
        std::atomic<void const*> subject{nullptr};
        std::atomic<task_action> what{nullptr};
        std::atomic<std::uint64_t> event{0}; // [detail 32 bits][trace_event 8 bits]

        BOOST_FORCEINLINE void write(trace_record const& r) noexcept
        {
            time.store(r.time, std::memory_order_release);
            subject.store(r.subject, std::memory_order_release);
            what.store(r.what, std::memory_order_release);
            event.store(std::uint64_t{r.detail} << 8 | static_cast<std::uint64_t>(r.event),
                std::memory_order_release);
        }

        trace_record read() const noexcept
        {
            trace_record r{};
            r.time = time.load(std::memory_order_acquire);
            r.subject = subject.load(std::memory_order_acquire);
            r.what = what.load(std::memory_order_acquire);
            std::uint64_t const word = event.load(std::memory_order_acquire);
            r.detail = static_cast<std::uint32_t>(word >> 8);
            r.event = static_cast<trace_event>(word & 0xff);
            return r;
        }
    };

    std::size_t const size_;
    std::unique_ptr<slot[]> const slots_;
    std::size_t next_ = 0;                // slot; its thread's own
    std::atomic<std::uint64_t> count_{0}; // of all records so far; written by its thread
    thread_id const thread_;
    std::string const name_;
};

} // namespace asio_ewyk::detail

#endif
