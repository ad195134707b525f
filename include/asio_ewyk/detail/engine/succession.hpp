// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_SUCCESSION_HPP
#define ASIO_EWYK_DETAIL_ENGINE_SUCCESSION_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/choose.hpp>
#include <asio_ewyk/detail/engine/idle_callers.hpp>
#include <asio_ewyk/detail/engine/workforce.hpp>
#include <asio_ewyk/detail/watch/lease_watch.hpp>
#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/frame/lessor.hpp>
#include <asio_ewyk/detail/metrics/strategy_counters.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/task/task.hpp>

#include <boost/config.hpp>
#include <boost/core/typeinfo.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>

namespace asio_ewyk::detail {

// What a succession serves: a context, or an execution_strategy.
class succession_host
{
public:
    // A thread that has got the request to come and produce.
    virtual void arrive() = 0;

    // Any thread: wakes a thread that waits inside the io_context, if there is one.
    virtual void wake_up() noexcept {}

    // The watchdog's thread, see lessor::on_check().
    virtual bool on_check(time_point, lease::snapshot const&, bool) noexcept { return false; }

protected:
    ~succession_host() = default;
};

// Which thread produces for a context: the producer is inside the io_context and runs what it finds
// there; when it is late, another thread succeeds it.
//
// lease_ is free, or one thread has it. A thread that is late in a handler loses it when another
// thread ends it, and a thread that was asked to come produces meanwhile. The owner, which is a
// caller that stays inside io_context::run(), takes the lease back before it waits for I/O again:
// see take_back(). Any other thread acquires it again when its handler is over, or leaves the
// io_context.
//
// asked_: a thread was asked to come, and has not arrived. A thread that ends a lease sets asked_
// afterwards, and sends the request if asked_ was not set. The thread that gets the request clears
// asked_, and acquires the lease afterwards. So if a lease is free, a request is under way; or all
// threads that work for it are busy, and the first that is ready finds the lease free. But one
// thread of the pool is kept for tasks and does not look, until the one that has yielded its right
// comes back. Both words, and which threads are parked, are sequentially consistent: otherwise a
// lease could stay free while all threads sleep. See doc/design.adoc.
//
// The object is itself the task that a thread is given as the request to come and produce.
class BOOST_SYMBOL_VISIBLE succession final : public task, private lessor
{
public:
    // `leases`: whether other threads may take over from a thread that is late. `sections`: whether
    // they may while a thread is in a blocking_section of a task beside which no other runs.
    // `trace_id`: the context.
    succession(workforce& threads, strategy_t s, std::chrono::nanoseconds grace, bool leases,
        bool sections, void const* trace_id, succession_host& host);

    virtual ~succession() = default;

    // Whether other threads may take over from a thread that is late.
    bool leases() const noexcept { return leases_; }

    // Whether there are callers of run(), beside the threads of the pool.
    bool has_callers() const noexcept { return threads_.has_callers(); }

    // Whether handlers run one at a time.
    bool is_exclusive() const noexcept { return !leases_; }

    strategy_counters& counters() noexcept { return counters_; }
    strategy_counters const& counters() const noexcept { return counters_; }
    lease_watch& watch() noexcept { return watch_; }
    lease_watch const& watch() const noexcept { return watch_; }

    // Any thread: whether no thread produces.
    bool is_free() const noexcept { return lease_.is_free(); }

    // Any thread: whether a thread was asked to come, and has not arrived. A moment late.
    bool awaits_thread() const noexcept { return asked_.load(); }

    // Any thread: whether no thread produces, and none was asked to. A moment late.
    bool is_abandoned() const noexcept { return is_free() && !awaits_thread(); }

    // A caller, before and after it calls io_context::run(). False if there is an owner already.
    bool become_owner() noexcept
    {
        thread_id none{};
        return !has_owner() && owner_thread_.compare_exchange_strong(none, this_thread_id());
    }
    void resign_owner() noexcept { owner_thread_.store({}); }
    bool has_owner() const noexcept { return owner_thread_.load() != thread_id(); }

    // Counts native handlers: Asio's result told of them, or its hook.
    void count_native(std::size_t n) noexcept
    {
        if (watch_.in_use())
            counters_.on_lease(n);
        else
            counters_.produce_consume(n);
    }

    // The owner, before it looks for I/O or between two handlers, and any thread that is about to
    // wait for I/O: takes the right from the thread that has it. True if that thread may be about
    // to wait inside the io_context, and has to be woken so that it leaves.
    bool take_back(call_frame& frame) noexcept;

    // A thread that is lent: it comes inside the io_context to produce, or leaves. Counted before
    // it acquires the lease, so that a thread which sees that the owner has taken that back sees
    // this, too.
    void lent_thread_came() noexcept { count_lent(1); }
    void lent_thread_left() noexcept { count_lent(-1); }

    // Any thread: whether a thread is lent. A moment late.
    bool has_lent_thread() const noexcept { return lent_.load(std::memory_order_relaxed) != 0; }

    // A thread that looks for handlers gives a sign of life: it is not stuck in a handler. True if
    // the watchdog has asked for one.
    bool give_sign() noexcept
    {
        return wants_sign_.load(std::memory_order_relaxed) && wants_sign_.exchange(false);
    }

    // The watchdog: has a thread inside the io_context tell that it is there.
    void ask_for_sign() noexcept override;

    // Whether this thread is to create something that does I/O; true once. Without it Asio waits
    // for its condition, and no hook tells of that.
    bool needs_io() noexcept { return !has_io_.load() && !has_io_.exchange(true); }
    void still_needs_io() noexcept { has_io_.store(false); }

    // A helper, when it comes and when it leaves: it may wait inside the io_context without the
    // right.
    void helper_came() noexcept { helpers_.fetch_add(1, std::memory_order_relaxed); }
    void helper_left() noexcept { helpers_.fetch_sub(1, std::memory_order_relaxed); }

    // This thread takes the lease. False if another thread produces, or if this is the last thread
    // that the pool has left for tasks.
    bool acquire(call_frame& frame) noexcept;

    // The thread that has got the request: whether it produces now.
    bool arrive(call_frame& frame) noexcept
    {
        // Before asked_ is cleared: then another thread may send a request, with a place of its
        // own.
        threads_.arrived(&frame);
        asked_.store(false);
        test_point();
        bool const produces = acquire(frame);
        threads_.return_place(frame);
        return produces;
    }

    // The thread that has taken the request back from the pool's queue, or destroys it there.
    void give_up_request() noexcept
    {
        threads_.arrived(nullptr);
        asked_.store(false);
        threads_.wake_idle_caller();
    }

    // The thread that has given a task to the pool, which has refused this one, perhaps another, as
    // no thread is there for it: the task that it is to run itself; null: none.
    task* task_to_run(task* refused) noexcept;

    // Any thread: has a thread come for the lease, if that is free.
    void dispatch() noexcept
    {
        if (lease_.is_free())
            ask({});
        else
            threads_.pool().retry_start();
    }

    // The producer, before it leaves the io_context. `needed`: another thread is to produce.
    void stop_producing(call_frame& frame, bool needed) noexcept;

    // Whether this thread has the lease, and no other has taken over.
    bool has_lease(call_frame const& frame) const noexcept
    {
        return frame.produces() && lease_.is(frame.lease_number);
    }

    // Between two handlers: the producer renews its lease; a thread that has lost it acquires it
    // again, if it is free. False if neither is possible: then the thread leaves the io_context,
    // unless it is the owner or a helper.
    bool renew_or_resume(call_frame& frame) noexcept
    {
        if (frame.produces() && lease_.renew(frame.lease_number)) [[likely]]
        {
            ++frame.lease_number;
            return true;
        }
        return !frame.is_owner && !frame.is_helper && resume(frame);
    }

    // The producer, before it runs a task, or what is ready: other threads may take over meanwhile.
    void mark_busy(call_frame& frame) noexcept
    {
        frame.tracked.mark(frame.lease_number);
        watch_.mark_busy(frame.lease_number);
    }

    // The producer, which has seen by which file of the system Asio waits for I/O.
    void learn_reactor(int file) noexcept
    {
        watch_.learn_reactor(file);
        has_io_.store(true);
    }

    // The producer, before it waits for I/O, and after that: then it has the next lease.
    void begin_wait(call_frame& frame) noexcept
    {
        frame.tracked.mark(0);
        lease_.mark(frame.lease_number, lease::activity::polls);
    }
    void end_wait(call_frame& frame) noexcept
    {
        // If another thread has ended the lease, this one learns it between two handlers.
        if (!lease_.renew(frame.lease_number))
            return;
        ++frame.lease_number;
        mark_busy(frame);
    }

    // The producer, before a task: no thread may take over until keep_no_more(). False if one has.
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

    // After a task. `kept`: the producer has kept its lease meanwhile.
    void end_task(call_frame& frame, bool kept) noexcept
    {
        if (kept)
            keep_no_more(frame);
        else if (leases_ && !frame.steps())
            renew_or_resume(frame);
    }

    // The producer, before a task: whether a thread could be had to take over from it.
    bool may_be_taken_over(call_frame const& frame, strategy_t s) const noexcept
    {
        return !threads_.request_may_wait()
            && (traits_of(s).waits_for_threads || threads_.may_take_over(frame.is_pooled()));
    }

    // The producer, before a task: has another thread produce. False if none could be had: then
    // this thread is the producer still. With execute_produce_consume this is never false: the
    // first thread that has time produces then, or nobody would for as long as the task takes.
    bool hand_over(call_frame& frame, strategy_t s) noexcept;

    // The producer, before it runs a task that the pool has refused: gives up its right, so that
    // the first thread that has time produces meanwhile. The task may wait for another handler,
    // while a thread that the pool counts as a producer is about to find that it is none, and to
    // sleep; or a caller is about to park.
    void yield_right(call_frame& frame) noexcept;

    // Sections, where one handler runs at a time.

    // Any thread: whether threads wait at the end of a section.
    bool has_returning() const noexcept { return returning_.any(); }

    // The producer, between two handlers, when has_returning(): passes its lease to the first of
    // them. False if none waits any more. `waits`, in a handler that runs others, or for the owner:
    // returns when this thread has the lease again.
    bool pass_lease(call_frame& frame, bool waits) noexcept;

private:
    void count_lent(int n) noexcept
    {
        if (watch_.in_use())
            lent_.fetch_add(n, std::memory_order_relaxed);
    }

    // Whether the pool's last thread is left for tasks, though it could produce.
    bool leaves_one_for_tasks() const noexcept
    {
        return leases_ && !traits_of(strategy()).waits_for_threads;
    }

    static boost::core::typeinfo const* act(task* base, task_purpose purpose);
    bool begin(call_frame& frame) noexcept;
    bool resume(call_frame& frame) noexcept;
    bool pass_free_lease() noexcept;
    void adopt(call_frame& frame) noexcept;
    using place = workforce::place;
    bool ask(place mine) noexcept;
    void clear_asked() noexcept
    {
        asked_.store(false);
        threads_.wake_idle_caller();
    }

    void take_over(lease::number n) noexcept override;
    bool has_sign() const noexcept override { return !wants_sign_.load(std::memory_order_relaxed); }
    bool is_alone() const noexcept override
    {
        return threads_.stepping() == 0 && helpers_.load(std::memory_order_relaxed) == 0;
    }
    bool on_check(time_point now, lease::snapshot const& s, bool runs) noexcept override
    {
        return host_.on_check(now, s, runs);
    }
    bool is_lent(lease::snapshot const& s) const noexcept override
    {
        auto const owner = owner_thread_.load();
        return owner != thread_id() && (s.producer != owner || has_lent_thread());
    }
    void wake_owner() noexcept override { host_.wake_up(); }
    void release(lease::number n) noexcept override;
    void enter_section(call_frame& frame) noexcept override;
    void leave_section(call_frame& frame) noexcept override;

    workforce& threads_;
    bool const leases_;
    bool const sections_;
    void const* const trace_id_;
    succession_host& host_;

    lease_watch watch_;
    lease& lease_;
    alignas(64) std::atomic<bool> asked_{false};

    // Written by callers. Relaxed would do: a thread that reads an old value stays outside
    // io_context::run(), or wakes the owner in vain.
    std::atomic<thread_id> owner_thread_{};

    // Relaxed: an old value costs a sign of life, or has a late task counted, or not.
    std::atomic<int> helpers_{0};

    // Written by the watchdog, which asks, and by the thread that answers. Relaxed: nothing is
    // published with it.
    std::atomic<bool> wants_sign_{false};

    std::atomic<bool> has_io_{false};

    // Relaxed: an old value wakes the owner in vain, or later.
    std::atomic<int> lent_{0};

    strategy_counters counters_;
    idle_callers returning_; // threads at the end of a section
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/engine/succession.ipp>
#endif

#endif
