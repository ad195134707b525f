// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_STRATEGY_SERVICE_CALLS_IPP
#define ASIO_EWYK_IMPL_STRATEGY_SERVICE_CALLS_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/task/recycled_memory.hpp>
#include <asio_ewyk/strategy_service.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

namespace asio_ewyk {

// The calls of run() and its siblings

// A call that is not inside a handler of the context. A handler may end the process, by
// std::exit(), on its own thread, which then destroys the context. The thread of the call does not
// come back to a program that would use it.
class strategy_service::call_inside
{
public:
    explicit call_inside(strategy_service* self) noexcept
        : self_(self)
    {
        if (self_ && (self_->calls_.fetch_add(one_call) & ends) != 0) [[unlikely]]
            leave_and_stay();
    }

    call_inside(call_inside const&) = delete;
    call_inside& operator=(call_inside const&) = delete;

    ~call_inside()
    {
        if (self_)
            leave_and_stay();
    }

private:
    void leave_and_stay() noexcept
    {
        if ((self_->calls_.fetch_sub(one_call) & ends) != 0) [[unlikely]]
            detail::parker().park_until(detail::forever);
    }

    strategy_service* const self_; // null: it is inside one
};

// Counts a thread as being inside run() or a sibling.
class strategy_service::caller
{
public:
    // `inner`: in a handler of the context, on whichever thread.
    caller(strategy_service& self, bool stepping, bool inner)
        : self_(self)
        , stepping_(stepping)
        , inner_(inner)
    {
        // A call inside a handler takes no exceptions from other threads: the handler might catch
        // them.
        if (!inner)
            self_.passed_.came();
        // As if handlers ran on the threads of the callers only.
        if (self_.threads_.runner_came(stepping) && self_.own_pool_)
            self_.threads_.pool().take_signal_mask();
    }

    caller(caller const&) = delete;
    caller& operator=(caller const&) = delete;

    ~caller()
    {
        auto const [last, last_to_run] = self_.threads_.runner_left(stepping_);
        // Asio locks a mutex to say whether it is stopped. Where one caller steps, and the pool has
        // no threads, there is nobody to be told.
        if (!last || last_to_run || self_.threads_.pool().threads() != 0
            || self_.threads_.client().size() != 0)
            leave(last, last_to_run);
        if (!inner_)
            self_.passed_.left();
    }

    bool is_inner() const noexcept { return inner_; }

    // Whether it throws what others pass to it.
    bool throws() const noexcept { return !inner_ && !leaves_; }
    bool is_stepping() const noexcept { return stepping_; }

private:
    void leave(bool last, bool last_to_run)
    {
        bool const stopped = self_.ioc_.stopped();
        if (stopped)
            self_.threads_.wake_all();
        // Also for a caller that stepped: a thread of the pool that has ended the last work may be
        // about to stop the io_context, which may be restarted by then.
        leaves_ = true;
        if (last_to_run || (last && stopped && !inner_))
            self_.clear_pool(*this);
        if (!last && !stopped)
        {
            // This caller may have been woken to take what waits.
            self_.succession_.dispatch();
            if (self_.threads_.client().size() != 0)
                self_.threads_.wake_idle_caller();
        }
    }

    strategy_service& self_;
    bool const stepping_;
    bool const inner_;
    bool leaves_ = false;
};

ASIO_EWYK_DECL std::size_t strategy_service::run_until(
    std::chrono::steady_clock::time_point deadline)
{
    std::size_t n = 0;
    detail::with_recycled_memory([&] { n = call(unlimited, true, deadline, false); });
    return n;
}

ASIO_EWYK_DECL std::size_t strategy_service::step(
    std::size_t limit, bool may_wait, std::chrono::steady_clock::time_point deadline)
{
    return call(limit, may_wait, deadline, true);
}

ASIO_EWYK_DECL std::size_t strategy_service::call(std::size_t limit, bool may_wait,
    std::chrono::steady_clock::time_point deadline, bool stepping)
{
    detail::call_frame* const outer = frame();
    bool const inner = is_in_handler();
    // A task that waits for handlers will not be short.
    if (may_wait)
        detail::call_frame::end_leases();
    if (outer && (outer->produces() || !succession_.is_exclusive()))
        return run_nested(*outer, limit, may_wait, deadline);
    call_inside const until_end(inner ? nullptr : this);
    std::size_t counted = 0;
    try
    {
        {
            caller const here(*this, stepping, inner);
            if (!stepping || (succession_.is_exclusive() && may_wait))
                take_part(here, counted, limit, deadline);
            else
                counted = step_beside(here, limit, may_wait, deadline);
        }
        if (!inner)
            passed_.rethrow_one();
        return stepping ? counted : threads_.take_result(counted);
    }
    catch (...)
    {
        // The count of a call that throws is in no result, as with an io_context.
        threads_.take_result(counted);
        if (!inner && detail::exception_of_a_handler())
            thrown_.add();
        throw;
    }
}

// How many handlers Asio has run. `counts`: in the frame, those of which nothing else has told.
template <class Run>
auto strategy_service::call_asio(detail::call_frame& frame, bool counts, Run run)
    -> handlers_run
{
    std::size_t const before = detail::call_frame::tally(frame);
    std::size_t const own = frame.uncounted;
    std::size_t const n = run();
    std::size_t const told = detail::call_frame::tally(frame) - before;
    if (counts && n > told)
    {
        succession_.ran_plain(n - told);
        frame.counted += n - told;
    }
    return {n, n - (frame.uncounted - own)};
}

// So many handlers, by the io_context's own functions.
ASIO_EWYK_DECL std::size_t strategy_service::step_asio(detail::call_frame& frame, std::size_t limit,
    bool may_wait, std::chrono::steady_clock::time_point deadline)
{
    bool const exclusive = succession_.is_exclusive();
    bool const all_at_once = !may_wait && limit == unlimited && !exclusive;
    struct end
    {
        strategy_service& self;
        detail::call_frame& frame;
        std::size_t const before = frame.uncounted;

        // Also when a handler has thrown.
        ~end()
        {
            if (std::exchange(frame.uncounted, before) != before)
                self.called_.store(true);
        }
    } const on_exit{*this, frame};
    std::size_t counted = 0;
    while (counted < limit)
    {
        auto const n = call_asio(frame, frame.steps(), [&] {
            return all_at_once                ? ioc_.poll()
                : !may_wait                   ? ioc_.poll_one()
                : deadline == detail::forever ? ioc_.run_one()
                                              : ioc_.run_one_until(deadline);
        });
        counted += n.others;
        if (n.all == 0 || all_at_once || frame.gave_way != 0 || (exclusive && !frame.produces())
            || (frame.throws && passed_.any()))
            break;
    }
    return counted;
}

// In a handler: what runs is a part of it.
ASIO_EWYK_DECL std::size_t strategy_service::run_nested(detail::call_frame& frame,
    std::size_t limit, bool may_wait, std::chrono::steady_clock::time_point deadline)
{
    struct end
    {
        detail::call_frame& frame;
        strategy_service& self;
        ~end()
        {
            --frame.nested;
            // The next one may be far, and another thread relied on this one to look for others.
            if (self.called_.exchange(false))
                self.wake_up();
        }
    };
    detail::flag_scope const in_task(frame.in_task, true);
    detail::flag_scope const stays(frame.stays, false);
    ++frame.nested;
    end const on_exit{frame, *this};
    frame.gave_way = 0;
    // While others run concurrently the one that it waits for may have run on another thread
    // already, and nothing would end this.
    bool const beside = may_wait && limit == 1 && !succession_.is_exclusive();
    auto const enough
        = beside ? std::min(deadline, detail::after(std::chrono::milliseconds(4))) : deadline;
    std::size_t const n = step_asio(frame, limit, may_wait, enough);
    if (beside && n == 0 && !ioc_.stopped() && std::chrono::steady_clock::now() < deadline)
    {
        // A handler that another thread counted; the next result has one less.
        threads_.count_back();
        return 1;
    }
    // The handler that came back from its section is what the caller waited for.
    return may_wait && n == 0 && frame.gave_way != 0 ? 1 : n;
}

// Handlers one by one, or what is ready, beside what others run.
ASIO_EWYK_DECL std::size_t strategy_service::step_beside(caller const& c, std::size_t limit,
    bool may_wait, std::chrono::steady_clock::time_point deadline)
{
    if (!c.is_inner() && passed_.any())
        return 0;
    detail::call_frame frame(owner());
    frame.thread = detail::call_frame::thread_of::stepping_caller;
    frame.throws = !c.is_inner();
    give_again();
    struct out
    {
        strategy_service& self;
        detail::call_frame& frame;
        ~out()
        {
            // See produce().
            bool const others = self.threads_.runners() > 1 && !self.ioc_.stopped();
            self.succession_.leave(frame, others);
            if (others)
                self.wake_up();
        }
    };
    if (succession_.is_exclusive() && !succession_.acquire(frame))
        return 0;
    out const on_exit{*this, frame};
    return step_asio(frame, limit, may_wait, deadline);
}

// Works for the context until the call is over; the heart of run() and its siblings.
ASIO_EWYK_DECL void strategy_service::take_part(caller const& c, std::size_t& counted,
    std::size_t limit, std::chrono::steady_clock::time_point deadline)
{
    detail::idle_caller self;
    auto const over = [&] {
        return ioc_.stopped()
            || (deadline != detail::forever && std::chrono::steady_clock::now() >= deadline);
    };
    // Produces, if it may: by itself, or since it was asked to.
    auto const work = [&](bool (detail::succession::*begin)(detail::call_frame&) noexcept) {
        detail::call_frame frame(owner());
        if (c.is_stepping())
            frame.thread = detail::call_frame::thread_of::stepping_caller;
        frame.throws = c.throws();
        struct add
        {
            std::size_t& counted;
            detail::call_frame& frame;
            ~add() { counted += frame.counted; }
        } const at_end{counted, frame};
        detail::succession::lending const lent(succession_);
        if ((succession_.*begin)(frame) || becomes_owner(c, limit, deadline))
            produce(frame, limit == unlimited ? unlimited : limit - counted, deadline);
    };
    while (counted < limit && !over())
    {
        if (c.throws())
            passed_.rethrow_one();
        give_again();
        if (succession_.is_free() || becomes_owner(c, limit, deadline))
        {
            work(&detail::succession::acquire);
            if (counted >= limit || over())
                break;
        }
        detail::task* job = threads_.take();
        if (job || (rest(c, self, deadline) && (job = std::exchange(self.job, nullptr))))
        {
            if (job == this)
                work(&detail::succession::arrive);
            else
                run_job(job);
        }
    }
}

// Whether a caller may stay inside io_context::run() though another thread has the right.
ASIO_EWYK_DECL bool strategy_service::becomes_owner(caller const& c, std::size_t limit,
    std::chrono::steady_clock::time_point deadline) const noexcept
{
    return deadline == detail::forever && limit == unlimited && !c.is_stepping()
        && !succession_.is_exclusive() && succession_.watch().observes_waits()
        && !succession_.has_owner();
}

// A task that was given to the pool.
ASIO_EWYK_DECL void strategy_service::run_job(detail::task* job)
{
    detail::call_frame frame(owner());
    frame.in_task = true;
    threads_.client().run(job);
    frame.rethrow_captured();
}

// Parks this thread, unless there is something to do. True if another thread woke it.
ASIO_EWYK_DECL bool strategy_service::rest(caller const& c, detail::idle_caller& self,
    std::chrono::steady_clock::time_point deadline)
{
    detail::idle_callers& callers = threads_.callers();
    detail::trace_span const parks(detail::trace_event::park);
    callers.park(self);
    detail::test_point();
    // Dekker with all of these: see doc/design.adoc. Otherwise an idle caller could sleep beside
    // work, or through a stop.
    bool const busy = succession_.is_free() || threads_.client().size() != 0
        || ioc_.stopped() || (c.throws() && passed_.any());
    if (busy && callers.withdraw(self))
        return false;
    if (self.sleep.park_until(busy ? detail::forever : deadline))
        return true;
    if (callers.withdraw(self))
        return false;
    // Claimed at the deadline: what it is claimed for comes first.
    return self.sleep.park_until(detail::forever);
}

// Handlers run only while a caller is inside run(): tasks that wait in the pool then wait here.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::recall_tasks() noexcept
{
    while (detail::task* t = threads_.take())
        if (t == this)
            succession_.give_up_request();
        else
        {
            threads_.count_back(); // it counts when it is given away again
            std::lock_guard const lock(recalled_mutex_);
            recalled_.push(t);
            has_recalled_.store(true);
        }
    // A caller that has come meanwhile may have asked, and gives the tasks away again. Dekker: it
    // counts itself before it looks for them.
    if (threads_.runners() == 0 || ioc_.stopped())
        return;
    succession_.dispatch();
    if (has_recalled_.load())
    {
        wake_up();
        threads_.wake_idle_caller();
    }
}

// A caller. Throws what a task throws that the pool gives back: the rest is given by another caller
// then, or by the next call.
ASIO_EWYK_DECL void strategy_service::give_again()
{
    // After a stop they wait for the next run().
    if (!has_recalled_.load() || ioc_.stopped()) [[likely]]
        return;
    try
    {
        for (;;)
        {
            std::unique_lock lock(recalled_mutex_);
            detail::task* const t = recalled_.pop();
            if (!t)
                return has_recalled_.store(false);
            lock.unlock();
            threads_.credit(1);
            if (detail::task* const back
                = threads_.give(detail::task_ptr(t), true))
                run_back(back);
        }
    }
    catch (...)
    {
        wake_up();
        threads_.wake_idle_caller();
        throw;
    }
}

// When the last caller of run() returns, no handler runs any more, as with an io_context; except
// one that has called run() itself. The handlers that still run may wait for others, so this
// produces for a moment after each pause. A pause is as long as all that was before: soon one is
// longer than any handler that does not wait for others, also where handlers block all the time.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::clear_pool(caller const& c)
{
    constexpr std::chrono::milliseconds shortest_pause(1);
    constexpr std::chrono::milliseconds longest_nap(64);
    constexpr std::chrono::milliseconds round(10);
    auto const begun = std::chrono::steady_clock::now();
    for (auto end_of_pause = begun + shortest_pause;;)
    {
        // More than once: a late thread may wait inside the io_context beside the one that was
        // woken, and a thread that still produces may have given away another task.
        recall_tasks();
        wake_up();
        if (threads_.await_pool(owner(), std::min(end_of_pause, detail::after(longest_nap))))
            return;
        auto now = std::chrono::steady_clock::now();
        if (ioc_.stopped() || now < end_of_pause)
            continue;
        go_on(c, now + std::min<std::chrono::nanoseconds>(now - begun, round));
        now = std::chrono::steady_clock::now();
        end_of_pause = now + (now - begun);
    }
}

// Produces once more on the way out. What a handler throws goes where that of the pool's does.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::go_on(
    caller const& c, std::chrono::steady_clock::time_point deadline)
{
    std::size_t counted = 0;
    threads_.runner_came(false);
    try
    {
        take_part(c, counted, unlimited, deadline);
    }
    catch (...)
    {
        std::exception_ptr error = detail::exception_of_a_handler();
        if (!error)
            throw;
        report_stray(std::move(error));
    }
    threads_.credit(counted);
    threads_.runner_left(false);
}

} // namespace asio_ewyk

#endif
