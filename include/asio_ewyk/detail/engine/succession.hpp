// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_SUCCESSION_HPP
#define ASIO_EWYK_DETAIL_ENGINE_SUCCESSION_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/crew.hpp>
#include <asio_ewyk/detail/engine/returning_threads.hpp>
#include <asio_ewyk/detail/engine/sentinel.hpp>
#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/frame/lessor.hpp>
#include <asio_ewyk/detail/metrics/strategy_counters.hpp>
#include <asio_ewyk/detail/os/thread_clock.hpp>
#include <asio_ewyk/detail/task/task.hpp>

#include <atomic>
#include <chrono>

namespace asio_ewyk::detail {

// Which thread produces for a context: the producer, which is inside the io_context and runs what
// it finds there, and the one that takes over from it.
//
// lease_ is free, or one thread has it. A thread that is late in a handler has lost it when another
// one has ended it. It stays inside the io_context until its handler is over. Then it either
// acquires the lease again, or leaves.
//
// asked_: a thread was asked to come, and has not arrived. A thread that ends a lease sets it
// afterwards, and if it was not set sends the request. The thread that gets the request clears
// asked_, and acquires the lease afterwards. So if a lease is free, a request is under way; or all
// threads of the crew are busy, and the first that is ready finds the lease free. But one thread of
// the pool is kept for tasks and does not look, until the one that has made way comes back. Both
// words, and the bits of parked threads, are sequentially consistent: otherwise a lease could stay
// free while all threads sleep. See doc/design.adoc.
class succession final : private lessor
{
public:
    // `request` is the task that a thread is given, to come and produce. `leases`, `sections`:
    // whether others may take over from a thread that is late, or is in a blocking_section of a
    // task beside which no other runs.
    succession(crew& threads, strategy_t s, std::chrono::nanoseconds grace, bool leases,
        bool sections, void const* owner, task& request);

    virtual ~succession() = default;

    strategy_t strategy() const noexcept { return strategy_; }

    // Whether others may take over from a thread that is late.
    bool leases() const noexcept { return leases_; }

    // Whether handlers run one at a time.
    bool is_exclusive() const noexcept { return !leases_; }

    strategy_counters& counters() noexcept { return counters_; }
    strategy_counters const& counters() const noexcept { return counters_; }
    sentinel& watch() noexcept { return sentinel_; }
    sentinel const& watch() const noexcept { return sentinel_; }

    // Any thread: whether no thread produces.
    bool is_free() const noexcept { return lease_.is_free(); }

    // Any thread; a moment late: whether a thread was asked to come, and has not arrived.
    bool awaits_thread() const noexcept { return asked_.load(); }

    // What wakes a thread that waits inside the io_context, or null.
    void wake_by(void (*f)(void* context) noexcept, void* context) noexcept
    {
        wake_ = f;
        wake_context_ = context;
    }

    // A thread that was woken inside the io_context: whether it is to create something there that
    // does I/O, for once. has_no_io(): it could not.
    bool takes_io_request() noexcept { return wants_io_.load() && wants_io_.exchange(false); }
    void has_no_io() noexcept { has_io_.store(false); }

    // False if another thread produces, or the pool has no thread left for that.
    bool acquire(call_frame& frame) noexcept;

    // The thread that has got the request.
    bool arrive(call_frame& frame) noexcept
    {
        // Before another request may be sent.
        threads_.pool().arrived(&frame);
        asked_.store(false);
        test_point();
        bool const produces = acquire(frame);
        threads_.pool().produces_no_more(frame);
        return produces;
    }

    // The request will not arrive: it was taken back.
    void give_up_request() noexcept
    {
        threads_.pool().arrived(nullptr);
        asked_.store(false);
        threads_.wake_idle_caller();
    }

    // Has a thread come for the lease, if it is free.
    void dispatch() noexcept
    {
        if (lease_.is_free())
            ask(false, true);
        else
            threads_.pool().retry_start();
    }

    // The producer leaves. `needed`: another thread is to produce.
    void leave(call_frame& frame, bool needed) noexcept;

    // Whether this thread, as far as it knows, is the producer, and no other has taken over.
    bool has_lease(call_frame const& frame) const noexcept
    {
        return frame.produces() && lease_.is(frame.lease_number);
    }

    // Between two handlers: the thread produces on, or again. False if it is to leave the
    // io_context, as another one produces, or as it is to visit handlers.
    bool settle(call_frame& frame) noexcept
    {
        if (frame.produces() && lease_.renew(frame.lease_number)) [[likely]]
        {
            ++frame.lease_number;
            return true;
        }
        return resume(frame);
    }

    // The producer, before a task: others may take over while it runs.
    void mark_task(call_frame& frame) noexcept
    {
        lease_.mark(frame.lease_number, lease::activity::task);
        sentinel_.alert();
    }

    // The producer, before it runs what is ready, which may be a native handler.
    void mark_native(call_frame& frame) noexcept
    {
        lease_.mark(frame.lease_number, lease::activity::native);
        sentinel_.alert();
    }

    // Whether it is known when the producer waits for I/O, and the system's file by which it does.
    // learn_reactor(): the producer, which has seen that. In another process it is another file.
    bool knows_reactor() const noexcept
    {
        return reactor_.load(std::memory_order_relaxed) != no_file;
    }
    bool is_reactor(int file) const noexcept
    {
        return reactor_.load(std::memory_order_relaxed) == file;
    }
    void learn_reactor(int file) noexcept
    {
        reactor_.store(file, std::memory_order_relaxed);
        has_io_.store(true);
        sentinel_.observe_waits(true);
    }
    void forget_reactor() noexcept
    {
        sentinel_.observe_waits(false);
        if (reactor_.exchange(no_file, std::memory_order_relaxed) != no_file)
            visit(visits_to_see);
    }

    // The producer, before it waits for I/O, and after that: then its lease is another one. What it
    // does next may be a native handler.
    void begin_wait(call_frame& frame) noexcept
    {
        lease_.mark(frame.lease_number, lease::activity::polls);
    }
    void end_wait(call_frame& frame) noexcept
    {
        // If it has ended, another thread produces, and this one learns it between two handlers.
        if (!lease_.renew(frame.lease_number))
            return;
        ++frame.lease_number;
        lease_.mark(frame.lease_number, lease::activity::waits);
        sentinel_.alert();
    }

    // The producer, before that: whether to measure its CPU time, which takes two system calls,
    // rather than how long it takes, in which others may have had the CPU.
    bool measures_native() const noexcept
    {
        return has_fine_cpu_clocks && measures_native_.load(std::memory_order_relaxed);
    }

    // The producer, after that, which took so long. If it was late and nobody has taken over, the
    // watchdog has missed it. But if its CPU time was not measured, that of the next ones is first,
    // unless such a one was missed not long ago.
    void ran_native(call_frame& frame, std::chrono::nanoseconds time, bool measured) noexcept
    {
        if (!sentinel_.is_long(time) || !has_lease(frame)) [[likely]]
            return;
        bool const computed = measured || !has_fine_cpu_clocks;
        bool const missed
            = computed || visits_.load(std::memory_order_relaxed) > visits_to_see;
        measures_native_.store(!missed, std::memory_order_relaxed);
        visit(computed ? visits_after_native : visits_to_see);
        if (missed)
            sentinel_.missed_native();
    }

    // The producer, before a task: none may take over while it runs. False if one has.
    bool keep(call_frame& frame) noexcept
    {
        if (!frame.produces() || !lease_.keep(frame.lease_number))
            return false;
        ++frame.lease_number;
        frame.leased_by = nullptr; // a section has no effect
        return true;
    }
    void keep_no_more(call_frame& frame) noexcept
    {
        frame.leased_by = this;
        lease_.keep_no_more();
    }

    // After a task, which was kept or not. False if the thread is to leave: another one produces,
    // or it is one of the pool and the callers have left.
    bool end_task(call_frame& frame, bool kept) noexcept
    {
        if (kept)
        {
            keep_no_more(frame);
            return true;
        }
        return is_exclusive() || frame.steps()
            || (settle(frame) && threads_.may_produce(frame));
    }

    // The producer, before a task: whether one could take over from it.
    bool may_be_taken_over(call_frame const& frame, strategy_t s) const noexcept
    {
        return !threads_.pool().pending_may_wait()
            && (s == strategy_t::execute_produce_consume
                || threads_.may_take_over(frame.is_pooled()));
    }

    // The producer, before a task: has another thread produce. False if none could be had, and
    // this one is the producer still. With execute_produce_consume it is not: the first thread that
    // has time produces then, as one that is kept would stop it for as long as the task takes.
    bool hand_over(call_frame& frame, strategy_t s) noexcept;

    // The producer, before a task that the pool has given back: the first thread that has time
    // produces meanwhile. A thread that the pool counts as producing may be about to find that it
    // does not, and would then sleep while the task waits for what nobody produces. A caller may be
    // about to park as well.
    void make_way(call_frame& frame) noexcept;

    // Whether handlers are visited one by one, as native ones were late, or as they are the first;
    // counts them. No less than while the threads of late ones are inside.
    bool visits() noexcept
    {
        int const left = visits_.load(std::memory_order_relaxed);
        if (left <= 0)
            return false;
        visits_.store(left > 1 ? left - 1 : inside() > 1 ? visits_to_see : 0,
            std::memory_order_relaxed);
        if (left == 1)
            measures_native_.store(false, std::memory_order_relaxed);
        return true;
    }

    // How many threads may be waiting inside the io_context; a moment late.
    std::size_t inside() const noexcept;

    // How many threads are in a task, and how many of them, about, sleep; a moment late. The system
    // is asked for a few of them only, as that takes microseconds for each. One that waits for a
    // lock, or a condition, counts half: it may be about to go on.
    struct occupied
    {
        int all = 0;
        int asleep = 0;
    };
    occupied in_tasks() noexcept; // the producer

    // Sections, where one handler runs at a time.

    // Whether threads wait to come back from one.
    bool awaited() const noexcept { return returning_.any(); }

    // The producer, between two handlers, when awaited(): passes the lease on. False if there was
    // no other thread any more. With `waits`, in a handler that runs others: it returns when this
    // thread has the lease again.
    bool serve_section(call_frame& frame, bool waits) noexcept;

private:
    // After so many handlers the producer stays inside the io_context again.
    static constexpr int visits_after_native = 2000;
    static constexpr int visits_to_see = 128;

    // In in_tasks().
    static constexpr int most_probed = 16;

    // So many handlers from now on, or more.
    void visit(int n) noexcept
    {
        if (visits_.load(std::memory_order_relaxed) < n)
            visits_.store(n, std::memory_order_relaxed);
    }

    // Before a lease ends. After a task its thread sees that; otherwise it stays inside the
    // io_context until it is called out.
    void visit_after(lease::sight const& s, int n) noexcept
    {
        if (s.what != lease::activity::task)
            visit(n);
    }

    // Whether a thread that could produce may be kept for tasks instead.
    bool leaves_one_for_tasks() const noexcept
    {
        return leases_ && strategy_ != strategy_t::execute_produce_consume;
    }

    bool begin(call_frame& frame) noexcept;
    bool resume(call_frame& frame) noexcept;
    bool serve_returning() noexcept;
    void adopt(call_frame& frame) noexcept;
    void await_lease(call_frame& frame) noexcept;
    outcome ask(bool occupies, bool may_start) noexcept;
    void wake() noexcept
    {
        if (wake_)
            wake_(wake_context_);
    }

    // The lease of a task was seen when that began. Where there are no native handlers nothing else
    // is late.
    bool may_take_over(lease::sight const& s) const noexcept override
    {
        return s.what == lease::activity::task
            || (threads_.has_callers()
                && (strategy_ == strategy_t::execute_produce_consume
                    || threads_.may_take_over(s.pooled)));
    }

    outcome take_over(lease::number n, bool may_start) noexcept override;
    void start_pending() noexcept override;
    void call_out() noexcept override;
    bool waits_for_io() const noexcept override;
    bool provide_io() noexcept override;
    void release(lease::number n) noexcept override;
    void go_away(call_frame& frame) noexcept override;
    void come_back(call_frame& frame) noexcept override;

    crew& threads_;
    strategy_t const strategy_;
    bool const leases_;
    bool const sections_;
    void const* const owner_;
    task& request_;
    void (*wake_)(void* context) noexcept = nullptr; // not changed once there is a producer
    void* wake_context_ = nullptr;

    lease lease_;
    alignas(64) std::atomic<bool> asked_{false};

    // Asio waits for a condition until something does I/O. Set by the watchdog, which has a thread
    // create something that does.
    std::atomic<bool> has_io_{false};
    std::atomic<bool> wants_io_{false};

    static constexpr int no_file = -1;

    // Written by the producer, or where there is none. Relaxed: one that does not know it yet does
    // not tell when it waits.
    std::atomic<int> reactor_{no_file};

    // Written by the thread that ends a lease, counted down by the producer. Relaxed: who acquires
    // the lease next sees it; one that is lost is one handler more.
    std::atomic<int> visits_;

    // Written by the producer; relaxed, as a late thread may use it, too.
    std::atomic<bool> measures_native_{false};

    unsigned turn_ = 0; // the producer's: which threads in_tasks() asks for

    strategy_counters counters_;
    returning_threads returning_;
    sentinel sentinel_;
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/engine/succession.ipp>
#endif

#endif
