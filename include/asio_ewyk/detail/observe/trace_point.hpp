// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OBSERVE_TRACE_POINT_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_TRACE_POINT_HPP

#include <asio_ewyk/detail/observe/task_action.hpp>
#include <asio_ewyk/detail/observe/trace_event.hpp>

#include <boost/config.hpp>

#include <atomic>
#include <cstdint>

namespace asio_ewyk::detail {

// A point where threads may meet: a test that defines ASIO_EWYK_TEST_POINT is called here, and
// delays the thread. Before what the event says is visible to others, or between two steps of it.
// Inlined, so that the test can tell the points apart by the address that it is called from.
BOOST_FORCEINLINE void test_point([[maybe_unused]] trace_event e = trace_event::step) noexcept
{
#if defined(ASIO_EWYK_TEST_POINT)
    ASIO_EWYK_TEST_POINT(e);
#endif
}

// The seam to what records traces. A program that includes trace.hpp has it.
class BOOST_SYMBOL_VISIBLE trace_recorder
{
public:
    // What is recorded of an event, besides the time. `what`: a pointer, also to a function.
    // `detail`: 32 bits; of those with a `when` that time, of the steady clock in nanoseconds, or 0
    // if it is not known.
    struct event
    {
        trace_event is;
        void const* subject = nullptr;
        std::uintptr_t what = 0;
        std::uint64_t detail = 0;
    };

    // Not inlined into the caller: after a stackful coroutine has gone to another thread, that
    // would take the thread for the same.
    using function = void (*)(event const& e) noexcept;

    // Null: nothing is recorded. Relaxed: a thread that sees it late records a little less, or asks
    // the recorder, which knows.
    static function get() noexcept { return record_.load(std::memory_order_relaxed); }
    static void set(function f) noexcept { record_.store(f); }

private:
    static inline std::atomic<function> record_{nullptr};
};

// Where production or a task changes hands. While nothing is recorded: a load and a branch.
BOOST_FORCEINLINE void trace_point(trace_event e, void const* subject = nullptr,
    std::uint64_t detail = 0, task_action what = nullptr) noexcept
{
    test_point(e);
    if (trace_recorder::function const record = trace_recorder::get()) [[unlikely]]
        record({e, subject, reinterpret_cast<std::uintptr_t>(what), detail});
}

// A scope that is a span.
class trace_span
{
public:
    explicit trace_span(trace_event e, void const* subject = nullptr, task_action what = nullptr,
        std::uint64_t when = 0) noexcept
        : event_(e)
    {
        trace_point(e, subject, when, what);
    }

    trace_span(trace_span const&) = delete;
    trace_span& operator=(trace_span const&) = delete;

    ~trace_span() { trace_point(end_of(event_)); }

private:
    trace_event const event_;
};

} // namespace asio_ewyk::detail

#endif
