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
#include <array>
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
    std::uintptr_t what; // a pointer, also to a function; or text
    std::uint32_t detail; // of a consumption: how long the task has waited, in microseconds
    trace_event event;

    task_action type() const noexcept { return reinterpret_cast<task_action>(what); }
};

// How long a handler may wait or run before it is late. In nanoseconds.
struct trace_limits
{
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    std::uint64_t queued = never;
    std::uint64_t ran = never;

    // `waited`: in microseconds, as it is recorded; 0: that is not known.
    bool has_waited(std::uint32_t waited) const noexcept
    {
        return waited != 0 && waited >= queued / 1000;
    }

    bool has_run(std::uint64_t began, std::uint64_t ended) const noexcept
    {
        return began < ended && ended - began >= ran;
    }
};

// The last records of one thread. Its own thread pushes; any thread may look at any time.
//
// The thread never waits, and overwrites the oldest record. So a reader may read records that
// change meanwhile, and recognizes them: after a part of a new record it reads a count that
// includes the previous record, at least. For that the parts are stored with release, which costs
// nothing on x86, and loaded with acquire.
class last_records
{
public:
    // Throws std::bad_alloc. There is one slot more than can be read: the thread may overwrite the
    // oldest meanwhile.
    explicit last_records(std::size_t capacity)
        : size_(std::max(capacity, capacity + 1))
        , slots_(std::make_unique<slot[]>(size_))
    {
    }

    last_records(last_records const&) = delete;
    last_records& operator=(last_records const&) = delete;

    // How many records there were.
    std::uint64_t recorded() const noexcept { return count_.load(std::memory_order_acquire); }

    // The thread that owns them.
    void push(trace_record const& r) noexcept
    {
        std::uint64_t const n = count_.load(std::memory_order_relaxed);
        slots_[next_].write(r);
        next_ = next_ + 1 == size_ ? 0 : next_ + 1;
        // Release: a thread that reads the count sees all that it counts.
        count_.store(n + 1, std::memory_order_release);
    }

    // Any thread. The records, oldest first; returns how many there were before these. Throws
    // std::bad_alloc.
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
        std::atomic<std::uintptr_t> what{0};
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
};

// What one thread has recorded: its last events, and its last handlers that were late, which are
// kept for longer. Its own thread records; any thread may look at any time.
class trace_ring
{
public:
    // A late handler: its begin; the place, or more_text if none is known; its end.
    static constexpr std::size_t records_of_late = 3;
    static constexpr std::size_t most_late = 64;

    // Throws std::bad_alloc.
    explicit trace_ring(std::size_t capacity)
        : all_(capacity)
        , late_(most_late * records_of_late)
        , thread_(this_thread_id())
        , name_(name_of_this_thread())
    {
    }

    trace_ring(trace_ring const&) = delete;
    trace_ring& operator=(trace_ring const&) = delete;

    last_records const& all() const noexcept { return all_; }
    last_records const& late() const noexcept { return late_; }
    thread_id thread() const noexcept { return thread_; }
    std::string const& name() const noexcept { return name_; }

    // The thread that owns the ring. Returns whether a handler has ended that was late.
    // `is_handler`: of a consumption.
    bool record(trace_record const& r, trace_limits const& limits, bool is_handler = true) noexcept
    {
        bool late = false;
        if (r.event == trace_event::consume)
            begin_run(r, is_handler);
        else if (r.event == trace_event::place)
            place_run(r);
        else if (r.event == trace_event::end_consume)
            late = end_run(r, limits);
        all_.push(r);
        return late;
    }

private:
    // A handler that runs.
    struct run
    {
        trace_record begin;
        trace_record place;
        bool is_handler;
    };

    void begin_run(trace_record const& r, bool is_handler) noexcept
    {
        if (depth_ < runs_.size())
        {
            runs_[depth_].begin = r;
            runs_[depth_].place = {r.time, nullptr, 0, 0, trace_event::more_text};
            runs_[depth_].is_handler = is_handler;
        }
        ++depth_;
    }

    // As in spans_of().
    void place_run(trace_record const& r) noexcept
    {
        if (depth_ == 0 || depth_ > runs_.size())
            return;
        trace_record& place = runs_[depth_ - 1].place;
        if (place.event != trace_event::place || !traced_line::unpack(r.detail).of_operation)
            place = r;
    }

    bool end_run(trace_record const& end, trace_limits const& limits) noexcept
    {
        if (depth_ == 0 || --depth_ >= runs_.size())
            return false;
        run const& ended = runs_[depth_];
        if (!ended.is_handler
            || (!limits.has_waited(ended.begin.detail)
                && !limits.has_run(ended.begin.time, end.time))) [[likely]]
            return false;
        late_.push(ended.begin);
        late_.push(ended.place);
        late_.push(end);
        return true;
    }

    last_records all_;
    last_records late_;
    std::array<run, 8> runs_{}; // outer ones first; its thread's own
    std::size_t depth_ = 0;     // how many run, also more; its thread's own
    thread_id const thread_;
    std::string const name_;
};

} // namespace asio_ewyk::detail

#endif
