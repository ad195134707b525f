// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OBSERVE_THREAD_ACTIVITY_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_THREAD_ACTIVITY_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/observe/record_list.hpp>
#include <asio_ewyk/detail/observe/task_action.hpp>
#include <asio_ewyk/detail/observe/trace_point.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/os/tick_clock.hpp>

#include <boost/config.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace asio_ewyk::detail {

// What a thread does, for others to look at: one record for each thread that runs handlers; that of
// a thread that has ended serves a new one.
//
// A record is written by its own thread alone, with plain stores, which others see a moment late;
// except what see() and take_over() write. A reader reads changes(), then the rest, and later
// changes() again: if that is the same, the record has not changed.
class BOOST_SYMBOL_VISIBLE thread_activity : public record_list<thread_activity>
{
public:
    // What runs: a handler of that type, for that engine, loop or pool. Null: none.
    struct state
    {
        task_action what = nullptr;
        void const* owner = nullptr;
    };

    // The handler inside of which another one begins; and what a thread served before.
    struct outer_handler
    {
        task_action what = nullptr;
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
        tick_clock::ticks began = 0; // as in sight
#endif
    };
    struct outer_service
    {
        outer_handler handler;
        void const* owner = nullptr;
    };

    // The location in the source that a handler has set; null: none.
    struct place
    {
        char const* file = nullptr;
        char const* function = nullptr;
        unsigned line = 0;
    };

    // A look at a record. If it changed meanwhile, nothing runs.
    struct sight
    {
        std::uint64_t changes = 0;
        state now;
        time_point seen{}; // when stall_monitor saw the handler first; or time_point()
        place where{};
        tick_clock::ticks began = 0; // when Asio called the handler; or 0
    };

    // This thread's. If there was no memory for one, one that all such threads share.
    static thread_activity& mine() noexcept
    {
        if (!mine_) [[unlikely]]
            claim();
        return *mine_;
    }

    // This thread's, if it has one already; else null.
    static thread_activity* known() noexcept { return mine_; }

    // That of the thread with that number; null: it has none. Where it ends meanwhile, the record
    // may become another thread's.
    static thread_activity* of(thread_id t) noexcept
    {
        thread_activity* found = nullptr;
        for_each([&](thread_activity& a) {
            if (a.thread() == t)
                found = &a;
        });
        return found;
    }

    // In the child of a fork, where the other threads do not exist.
    static void forget_others() noexcept;

    // Any thread.
    std::uint64_t changes() const noexcept { return changes_.load(std::memory_order_acquire); }
    thread_id thread() const noexcept { return thread_.load(std::memory_order_relaxed); }
    state now() const noexcept
    {
        return {what_.load(std::memory_order_relaxed), owner_.load(std::memory_order_relaxed)};
    }

    // Acquire, all of them: a reader that reads a part of a later change then reads the number of
    // that change, or a later one, and does not take it for a part of this one.
    sight look() const noexcept;

    // stall_monitor: has seen the handler of that change for the first time. Returns when that was
    // so of the one before.
    time_point see(std::uint64_t changes, time_point now) noexcept
    {
        time_point const before = seen_.load(std::memory_order_relaxed);
        // Release, and acquire in look(): a thread that sees the second sees the first, and one
        // that sees either sees the change.
        seen_.store(now, std::memory_order_release);
        seen_change_.store(changes, std::memory_order_release);
        return before;
    }

    // The watchdog, before it has another thread take over from the record's, or that thread, when
    // it has given its right away: others would wait from now on for the handlers that run there.
    // `now` was read while these ran, so it does not count for any that begins later, nor where the
    // record has become another thread's.
    void take_over(tick_clock::ticks now) noexcept
    {
        // Relaxed: nothing is published with it. A handler that has seen what another thread did
        // with the right sees this, too, as it was written before the lease ended.
        tick_clock::ticks last = taken_over_.load(std::memory_order_relaxed);
        while (last < now
            && !taken_over_.compare_exchange_weak(last, now, std::memory_order_relaxed))
        {
        }
    }

    // The record's thread: when that was last; or 0.
    tick_clock::ticks taken_over() const noexcept
    {
        return taken_over_.load(std::memory_order_relaxed);
    }

    // The record's thread: a handler of that type begins inside of what runs, or the thread begins
    // to serve that owner.
    outer_handler begin(task_action what) noexcept
    {
        outer_handler const outer = current();
        set(what);
        return outer;
    }
    outer_service serve(void const* owner) noexcept
    {
        outer_service const outer{current(), owner_.load(std::memory_order_relaxed)};
        owner_.store(owner, std::memory_order_release);
        set(nullptr);
        return outer;
    }

    // The handler, or the service, has ended, and what is around it continues. That has a new
    // number, and is as old as it was: or the watchdog would take a handler that runs others all
    // the time for many short ones.
    void end(outer_handler const& outer) noexcept
    {
        set(outer.what);
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
        if (outer.began != 0)
            date(outer.began);
#endif
    }
    void end_service(outer_service const& outer) noexcept
    {
        owner_.store(outer.owner, std::memory_order_release);
        end(outer.handler);
    }

    // The handler that runs was called by Asio then.
    void date(tick_clock::ticks began) noexcept
    {
        began_.store(began, std::memory_order_release);
        dated_.store(changes_.load(std::memory_order_relaxed), std::memory_order_release);
    }

    // The handler that runs is at that location.
    void locate(place where) noexcept
    {
        places_.store(places_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        file_.store(where.file, std::memory_order_release);
        function_.store(where.function, std::memory_order_release);
        line_.store(where.line, std::memory_order_release);
        located_.store(changes_.load(std::memory_order_relaxed), std::memory_order_release);
    }

private:
    struct at_thread_end;
    friend record_list;

    thread_activity() noexcept = default;

    // Not inlined: the thread-local object has a destructor, which few calls should pay for.
    static void claim() noexcept;

    void vacate() noexcept
    {
        what_.store(nullptr, std::memory_order_release);
        owner_.store(nullptr, std::memory_order_release);
        change();
        used_.store(false, std::memory_order_release);
    }

    outer_handler current() const noexcept
    {
        outer_handler h{what_.load(std::memory_order_relaxed)};
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
        if (dated_.load(std::memory_order_relaxed) == changes_.load(std::memory_order_relaxed))
            h.began = began_.load(std::memory_order_relaxed);
#endif
        return h;
    }

    void set(task_action what) noexcept
    {
        what_.store(what, std::memory_order_release);
        change();
    }

    // Release: a thread that reads the number sees what it counts.
    void change() noexcept
    {
        changes_.store(
            changes_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }

    static thread_activity shared_;

    static inline thread_local thread_activity* mine_ = nullptr;

    alignas(64) std::atomic<std::uint64_t> changes_{0};
    std::atomic<task_action> what_{nullptr};
    std::atomic<void const*> owner_{nullptr};
    std::atomic<thread_id> thread_{};

    // They count for the change of that number only.
    std::atomic<std::uint64_t> located_{0};
    std::atomic<std::uint64_t> places_{0}; // how many locations were set
    std::atomic<char const*> file_{nullptr};
    std::atomic<char const*> function_{nullptr};
    std::atomic<unsigned> line_{0};

    // As these, of a program that is compiled with Asio's hook.
    std::atomic<std::uint64_t> dated_{0};
    std::atomic<tick_clock::ticks> began_{0};

    // Written by stall_monitor.
    std::atomic<std::uint64_t> seen_change_{0};
    std::atomic<time_point> seen_{};

    // See take_over().
    std::atomic<tick_clock::ticks> taken_over_{0};
};

inline thread_activity thread_activity::shared_;

// The handler that this thread runs is at that location, for others to look at and in a trace.
// `of_operation`: that of the operation whose completion it is.
inline void place_handler(
    thread_activity& mine, thread_activity::place where, bool of_operation) noexcept
{
    mine.locate(where);
    if (trace_recorder::function const record = trace_recorder::get()) [[unlikely]]
        record({trace_event::place, where.file, reinterpret_cast<std::uintptr_t>(where.function),
            traced_line{where.line, of_operation}.pack()});
}

// The seam to what tracks Asio's operations: the completion in which this thread is about to run a
// handler. Nothing where the program is not compiled with Asio's hook.
class BOOST_SYMBOL_VISIBLE tracked_completion
{
public:
    // What the handler does not know itself, if it is that of the completion: another one, which
    // that handler runs inside of itself, is not.
    struct sight
    {
        bool is_shown = false;          // thread_activity and the trace have it already
        thread_activity::place where{}; // of its operation, whose name is the function
        tick_clock::ticks began = 0;
    };

#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
    static sight enter() noexcept
    {
        function const f = enter_.load(std::memory_order_relaxed);
        return f ? f() : sight();
    }

    // Null: nothing was tracked yet. Relaxed: a thread that sees it late names a handler less.
    using function = sight (*)() noexcept;
    static void set(function f) noexcept { enter_.store(f, std::memory_order_relaxed); }

private:
    static inline std::atomic<function> enter_{nullptr};
#else
    static constexpr sight enter() noexcept { return {}; }
#endif
};

// While it lives, this thread runs a handler of that type: that task, if it is one.
class handler_scope
{
public:
    // `submitted`: when, in nanoseconds of the steady clock; 0: that is not known.
    explicit handler_scope(
        task_action what, void const* t = nullptr, std::uint64_t submitted = 0) noexcept
        : activity_(thread_activity::mine())
    {
        tracked_completion::sight const completion = tracked_completion::enter();
        is_shown_ = completion.is_shown;
        if (is_shown_)
            return;
        trace_point(trace_event::consume, t, submitted, what);
        outer_ = activity_.begin(what);
        if (completion.began != 0)
            activity_.date(completion.began);
        if (completion.where.file)
            place_handler(activity_, completion.where, true);
    }

    handler_scope(handler_scope const&) = delete;
    handler_scope& operator=(handler_scope const&) = delete;

    ~handler_scope()
    {
        if (is_shown_)
            return;
        activity_.end(outer_);
        trace_point(end_of(trace_event::consume));
    }

private:
    // Kept, since a handler that is a stackful coroutine must not look it up twice: see call_frame.
    thread_activity& activity_;
    thread_activity::outer_handler outer_;
    bool is_shown_ = false; // what tracks Asio's operations shows the handler
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/observe/thread_activity.ipp>
#endif

#endif
