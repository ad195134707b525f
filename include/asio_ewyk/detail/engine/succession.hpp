// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_SUCCESSION_HPP
#define ASIO_EWYK_DETAIL_ENGINE_SUCCESSION_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/choose.hpp>
#include <asio_ewyk/detail/engine/workforce.hpp>
#include <asio_ewyk/detail/engine/returning_threads.hpp>
#include <asio_ewyk/detail/watch/lease_watch.hpp>
#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/frame/lessor.hpp>
#include <asio_ewyk/detail/metrics/strategy_counters.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/task/task.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>

namespace asio_ewyk::detail {

// Which thread produces for a context: the producer, which is inside the io_context and runs what
// it finds there, and the one that takes over from it.
//
// lease_ is free, or one thread has it. A thread that is late in a handler has lost it when another
// one has ended it, and a thread that was asked for produces meanwhile. The owner, which is a
// caller that stays inside io_context::run(), takes it back when it waits for I/O again: see
// take_back(). Any other thread acquires it when its handler is over, or leaves the io_context.
//
// asked_: a thread was asked to come, and has not arrived. A thread that ends a lease sets it
// afterwards, and if it was not set sends the request. The thread that gets the request clears
// asked_, and acquires the lease afterwards. So if a lease is free, a request is under way; or all
// threads that work for it are busy, and the first that is ready finds the lease free. But one
// thread of the pool is kept for tasks and does not look, until the one that has made way comes
// back. Both words, and the bits of parked threads, are sequentially consistent: otherwise a lease
// could stay free while all threads sleep. See doc/design.adoc.
class succession final : private lessor
{
public:
    // `request` is the task that a thread is given, to come and produce. `leases`, `sections`:
    // whether others may take over from a thread that is late, or is in a blocking_section of a
    // task beside which no other runs.
    succession(workforce& threads, strategy_t s, std::chrono::nanoseconds grace, bool leases,
        bool sections, void const* owner, task& request);

    virtual ~succession() = default;

    strategy_t strategy() const noexcept { return strategy_; }

    // Whether others may take over from a thread that is late.
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

    // Any thread; a moment late: whether a thread was asked to come, and has not arrived.
    bool awaits_thread() const noexcept { return asked_.load(); }

    // What wakes a thread that waits inside the io_context, or null.
    void wake_by(void (*f)(void* context) noexcept, void* context) noexcept
    {
        wake_ = f;
        wake_context_ = context;
    }

    // A caller that is about to call io_context::run(), and after that. False if there is an owner
    // already.
    bool begin_stay() noexcept
    {
        thread_id none{};
        return !has_owner() && owner_thread_.compare_exchange_strong(none, this_thread_id());
    }
    void end_stay() noexcept { owner_thread_.store({}); }
    bool has_owner() const noexcept { return owner_thread_.load() != thread_id(); }

    // So many handlers have run of which nobody was told.
    void ran_plain(std::size_t n) noexcept
    {
        if (watch_.in_use())
            counters_.on_lease(n);
        else
            counters_.produce_consume(n);
    }

    // The owner, before it looks for I/O or between two handlers; and any producer before it waits:
    // takes the right from the thread that has it. True if that one may be about to wait inside the
    // io_context, and has to be woken to leave.
    bool take_back(call_frame& frame) noexcept;

    // Another producer than the owner comes inside the io_context, or leaves; and whether one is
    // there, a moment late. Counted before it acquires the lease: who sees that the owner has taken
    // that back sees this, too.
    void lend() noexcept { count_lent(1); }
    void lend_no_more() noexcept { count_lent(-1); }
    bool is_lending() const noexcept { return lent_.load(std::memory_order_relaxed) != 0; }

    // While it lives a thread is counted so.
    class lending
    {
    public:
        explicit lending(succession& of) noexcept
            : of_(of)
        {
            of_.lend();
        }
        lending(lending const&) = delete;
        lending& operator=(lending const&) = delete;
        ~lending() { of_.lend_no_more(); }

    private:
        succession& of_;
    };

    // A thread that looks for handlers: it is in none, whatever the watchdog thinks. Whether that
    // has asked.
    bool give_sign() noexcept
    {
        return wants_sign_.load(std::memory_order_relaxed) && wants_sign_.exchange(false);
    }

    // Whether this thread is to create something that does I/O, for once: Asio waits for a
    // condition before, and no hook tells of that.
    bool needs_io() noexcept { return !has_io_.load() && !has_io_.exchange(true); }

    // What else the watchdog does for the context, or null; see lessor::watched.
    using watcher
        = bool (*)(void* context, time_point now, lease::sight const& s, bool runs) noexcept;
    void watch_by(watcher f) noexcept
    {
        watched_ = f;
    }

    // A thread without the right that may wait inside the io_context, or does no more.
    void came_beside() noexcept { beside_.fetch_add(1, std::memory_order_relaxed); }
    void left_from_beside() noexcept { beside_.fetch_sub(1, std::memory_order_relaxed); }

    // False if another thread produces, or the pool has no thread left for that.
    bool acquire(call_frame& frame) noexcept;

    // The thread that has got the request.
    bool arrive(call_frame& frame) noexcept
    {
        // Before another request may be sent.
        threads_.arrived(&frame);
        asked_.store(false);
        test_point();
        bool const produces = acquire(frame);
        threads_.produces_no_more(frame);
        return produces;
    }

    // The request will not arrive: it was taken back.
    void give_up_request() noexcept
    {
        threads_.arrived(nullptr);
        asked_.store(false);
        threads_.wake_idle_caller();
    }

    // Has a thread come for the lease, if it is free.
    void dispatch() noexcept
    {
        if (lease_.is_free())
            ask({threads_, false});
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
    // io_context, as another one produces; but the owner stays.
    bool settle(call_frame& frame) noexcept
    {
        if (frame.produces() && lease_.renew(frame.lease_number)) [[likely]]
        {
            ++frame.lease_number;
            return true;
        }
        return !frame.stays && !frame.helps && resume(frame);
    }

    // The producer, before it runs a task, or what is ready: others may take over meanwhile.
    void mark_busy(call_frame& frame) noexcept
    {
        watch_.mark_busy(frame.lease_number);
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
        watch_.knows_reactor(true);
    }
    void forget_reactor() noexcept
    {
        watch_.knows_reactor(false);
        reactor_.store(no_file, std::memory_order_relaxed);
    }

    // The producer, before it waits for I/O, and after that: then its lease is another one.
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
        mark_busy(frame);
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

    // After a task, which was kept or not.
    void end_task(call_frame& frame, bool kept) noexcept
    {
        if (kept)
            keep_no_more(frame);
        else if (leases_ && !frame.steps())
            settle(frame);
    }

    // The producer, before a task: whether one could take over from it.
    bool may_be_taken_over(call_frame const& frame, strategy_t s) const noexcept
    {
        return !threads_.request_may_wait()
            && (traits_of(s).waits_for_threads
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

    // Sections, where one handler runs at a time.

    // Whether threads wait to come back from one.
    bool awaited() const noexcept { return returning_.any(); }

    // The producer, between two handlers, when awaited(): passes the lease on. False if there was
    // no other thread any more. With `waits`, in a handler that runs others: it returns when this
    // thread has the lease again.
    bool serve_section(call_frame& frame, bool waits) noexcept;

private:
    void count_lent(int n) noexcept
    {
        if (watch_.in_use())
            lent_.fetch_add(n, std::memory_order_relaxed);
    }

    // Whether a thread that could produce may be kept for tasks instead.
    bool leaves_one_for_tasks() const noexcept
    {
        return leases_ && !traits_of(strategy_).waits_for_threads;
    }

    bool begin(call_frame& frame) noexcept;
    bool resume(call_frame& frame) noexcept;
    bool serve_returning() noexcept;
    void adopt(call_frame& frame) noexcept;
    void await_lease(call_frame& frame) noexcept;
    using place = workforce::place;
    place place_of(lease::ended const& e) noexcept { return {threads_, e.pooled}; }
    void ask(place mine) noexcept;
    void withdraw() noexcept
    {
        asked_.store(false);
        threads_.wake_idle_caller();
    }
    void wake() noexcept
    {
        if (wake_)
            wake_(wake_context_);
    }

    void take_over(lease::number n) noexcept override;
    void ask_for_sign() noexcept override;
    bool has_sign() const noexcept override
    {
        return !wants_sign_.load(std::memory_order_relaxed);
    }
    bool is_alone() const noexcept override
    {
        return threads_.stepping() == 0 && beside_.load(std::memory_order_relaxed) == 0;
    }
    bool watched(time_point now, lease::sight const& s, bool runs) noexcept override
    {
        return watched_ && watched_(wake_context_, now, s, runs);
    }
    bool is_lent(lease::sight const& s) const noexcept override
    {
        auto const owner = owner_thread_.load();
        return owner != thread_id() && (s.producer != owner || is_lending());
    }
    void call_owner() noexcept override { wake(); }
    void release(lease::number n) noexcept override;
    void go_away(call_frame& frame) noexcept override;
    void come_back(call_frame& frame) noexcept override;

    workforce& threads_;
    strategy_t const strategy_;
    bool const leases_;
    bool const sections_;
    void const* const owner_;
    task& request_;
    void (*wake_)(void* context) noexcept = nullptr; // not changed once there is a producer
    watcher watched_ = nullptr;
    void* wake_context_ = nullptr;

    lease_watch watch_;
    lease& lease_;
    alignas(64) std::atomic<bool> asked_{false};

    // Written by a caller. Relaxed would do: who sees it late stays outside, or wakes it in vain.
    std::atomic<thread_id> owner_thread_{};

    // Relaxed: a late value costs a sign of life, or a thread that comes in vain.
    std::atomic<int> beside_{0};

    // Written by the watchdog, which asks, and the thread that answers. Relaxed: nothing is
    // published with them.
    std::atomic<bool> wants_sign_{false};

    std::atomic<bool> has_io_{false};

    // Relaxed: a late value costs a call in vain, or a later one.
    std::atomic<int> lent_{0};

    static constexpr int no_file = -1;

    // Written by the producer, or where there is none. Relaxed: one that does not know it yet does
    // not tell when it waits.
    std::atomic<int> reactor_{no_file};

    strategy_counters counters_;
    returning_threads returning_;
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/engine/succession.ipp>
#endif

#endif
