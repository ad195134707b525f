// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_STRATEGY_SERVICE_CALLS_IPP
#define ASIO_EWYK_IMPL_STRATEGY_SERVICE_CALLS_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/task/recycled_memory.hpp>
#include <asio_ewyk/detail/utility/at_exit.hpp>
#include <asio_ewyk/strategy_service.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

namespace asio_ewyk {

// The calls of run() and its siblings

// A thread comes inside run() or a sibling.
ASIO_EWYK_DECL void strategy_service::came(caller const& c) noexcept
{
    // A call inside a handler takes no exceptions of other threads: the handler might catch them.
    if (!c.inner)
        passed_.came();
    // Pool threads take the first caller's signal mask, so that signals arrive as if handlers ran
    // on the threads of callers only.
    if (threads_.runner_came(c.stepping) && own_pool_)
        threads_.pool().take_signal_mask();
}

ASIO_EWYK_DECL void strategy_service::left(caller& c)
{
    auto const [last, last_to_run] = threads_.runner_left(c.stepping);
    // Asio locks a mutex to say whether it is stopped. To save that, nothing is done for the only
    // caller, which steps, while the pool has no threads and no tasks: there is no thread to tell.
    if (!last || last_to_run || threads_.pool().threads() != 0 || threads_.client().size() != 0)
    {
        bool const stopped = ioc_.stopped();
        if (stopped)
            threads_.wake_all();
        // Also after a caller that stepped: a thread of the pool that has done the last work may be
        // about to stop the io_context, and by then this caller may have restarted it.
        c.leaves = true;
        if (last_to_run || (last && stopped && !c.inner))
            quiesce_pool(c);
        if (!last && !stopped)
        {
            // This caller may have been woken to take what waits.
            succession_.dispatch();
            if (threads_.client().size() != 0)
                threads_.wake_idle_caller();
        }
    }
    if (!c.inner)
        passed_.left();
}

ASIO_EWYK_DECL std::size_t strategy_service::run_until(
    std::chrono::steady_clock::time_point deadline)
{
    std::size_t n = 0;
    detail::with_recycled_memory([&] { n = call({unlimited, deadline}, false); });
    return n;
}

ASIO_EWYK_DECL std::size_t strategy_service::step(
    std::size_t limit, bool may_wait, std::chrono::steady_clock::time_point deadline)
{
    return call({limit, deadline, may_wait}, true);
}

// The end of a call that is not inside a handler of the context. A handler may end the process by
// std::exit(), on whose thread the context is then destroyed. The thread of this call never comes
// back to the program, which would use the context.
ASIO_EWYK_DECL void strategy_service::end_call() noexcept
{
    if ((calls_.fetch_sub(one_call) & ends) != 0) [[unlikely]]
        detail::parker().park_until(detail::forever);
}

ASIO_EWYK_DECL std::size_t strategy_service::call(call_limits const& l, bool stepping)
{
    detail::call_frame* const outer = frame();
    bool const inner = is_in_handler();
    // A handler that waits for others here is going to be late.
    if (l.may_wait)
        detail::call_frame::end_leases();
    if (outer && (outer->produces() || !succession_.is_exclusive()))
        return run_nested(*outer, l);
    if (!inner && (calls_.fetch_add(one_call) & ends) != 0) [[unlikely]]
        end_call();
    detail::at_exit const ends_call([&] {
        if (!inner)
            end_call();
    });
    std::size_t counted = 0;
    try
    {
        {
            caller here{stepping, inner};
            came(here);
            detail::at_exit const leaves([&] { left(here); });
            if (!stepping || (succession_.is_exclusive() && l.may_wait))
                caller_loop(here, counted, l);
            else
                counted = step_beside(here, l);
        }
        if (!inner)
            passed_.rethrow_one();
        return stepping ? counted : threads_.take_result(counted);
    }
    catch (...)
    {
        // As with an io_context, the handlers of a call that throws are in no result.
        threads_.take_result(counted);
        if (!inner && detail::exception_of_a_handler())
            thrown_.add();
        throw;
    }
}

// Calls Asio, and returns how many handlers that has run. `counts`: adds native ones, of which
// nothing else tells, to the frame.
template <class Run>
auto strategy_service::call_asio(detail::call_frame& frame, bool counts, Run run) -> handlers_run
{
    std::size_t const before = detail::call_frame::tally(frame);
    std::size_t const own = frame.uncounted;
    std::size_t const n = run();
    std::size_t const told = detail::call_frame::tally(frame) - before;
    if (counts && n > told)
    {
        succession_.count_native(n - told);
        frame.counted += n - told;
    }
    return {n, n - (frame.uncounted - own)};
}

// Runs handlers by the io_context's own functions.
ASIO_EWYK_DECL std::size_t strategy_service::step_asio(
    detail::call_frame& frame, call_limits const& l)
{
    bool const exclusive = succession_.is_exclusive();
    bool const all_at_once = !l.may_wait && l.most == unlimited && !exclusive;
    // Also when a handler has thrown: the library's own do not count as stepped, but a wake-up
    // among them is consumed.
    detail::at_exit const over([&, before = frame.uncounted] {
        if (std::exchange(frame.uncounted, before) != before)
            wake_up_consumed_.store(true);
    });
    std::size_t counted = 0;
    while (counted < l.most)
    {
        auto const n = call_asio(frame, frame.steps(), [&] {
            return all_at_once                  ? ioc_.poll()
                : !l.may_wait                   ? ioc_.poll_one()
                : l.deadline == detail::forever ? ioc_.run_one()
                                                : ioc_.run_one_until(l.deadline);
        });
        counted += n.others;
        if (n.all == 0 || all_at_once || frame.passed_right != 0
            || (exclusive && !frame.produces()) || (frame.throws && passed_.any()))
            break;
    }
    return counted;
}

// A call of run() or a sibling in a handler: the handlers that run are parts of that one.
ASIO_EWYK_DECL std::size_t strategy_service::run_nested(
    detail::call_frame& frame, call_limits const& l)
{
    detail::at_exit const over([&, in_task = std::exchange(frame.in_task, true),
                                   is_owner = std::exchange(frame.is_owner, false)] {
        --frame.nested;
        // The thread that sent the wake-up relies on this one to run handlers, which it may do
        // only much later.
        if (wake_up_consumed_.exchange(false))
            wake_up();
        frame.is_owner = is_owner;
        frame.in_task = in_task;
    });
    ++frame.nested;
    frame.passed_right = 0;
    // Where handlers run on several threads, the one that this call waits for may have run on
    // another thread already, and then nothing would end the call.
    bool const beside = l.may_wait && l.most == 1 && !succession_.is_exclusive();
    auto const enough
        = beside ? std::min(l.deadline, detail::after(std::chrono::milliseconds(4))) : l.deadline;
    std::size_t const n = step_asio(frame, {l.most, enough, l.may_wait});
    if (beside && n == 0 && !ioc_.stopped() && std::chrono::steady_clock::now() < l.deadline)
    {
        // Return 1 so that the caller's loop ends. The handler was counted by another thread, so
        // the next result has one less.
        threads_.debit();
        return 1;
    }
    // Return 1 if another thread had the right: its handler, which has ended a section, is what the
    // caller waited for.
    return l.may_wait && n == 0 && frame.passed_right != 0 ? 1 : n;
}

// A caller that steps: handlers one by one, or what is ready, while other threads run others.
ASIO_EWYK_DECL std::size_t strategy_service::step_beside(caller const& c, call_limits const& l)
{
    if (!c.inner && passed_.any())
        return 0;
    detail::call_frame frame(frame_key());
    frame.thread = detail::call_frame::thread_of::stepping_caller;
    frame.throws = !c.inner;
    resubmit_recalled();
    if (succession_.is_exclusive() && !succession_.acquire(frame))
        return 0;
    detail::at_exit const leaves([&] {
        // For continuations: see produce().
        bool const others = threads_.runners() > 1 && !ioc_.stopped();
        succession_.stop_producing(frame, others);
        if (others)
            wake_up();
    });
    return step_asio(frame, l);
}

// What a caller of run() does until the call is over: it produces, runs tasks of the pool, or
// parks.
ASIO_EWYK_DECL void strategy_service::caller_loop(
    caller const& c, std::size_t& counted, call_limits const& l)
{
    detail::idle_caller self;
    auto const over = [&] {
        return ioc_.stopped()
            || (l.deadline != detail::forever && std::chrono::steady_clock::now() >= l.deadline);
    };
    // Produces if `begin` says so: acquire, or arrive with a request; or as the owner.
    auto const produce_if = [&](bool (detail::succession::*begin)(detail::call_frame&) noexcept) {
        detail::call_frame frame(frame_key());
        if (c.stepping)
            frame.thread = detail::call_frame::thread_of::stepping_caller;
        frame.throws = c.throws();
        succession_.lent_thread_came();
        detail::at_exit const at_end([&] {
            succession_.lent_thread_left();
            counted += frame.counted;
        });
        if ((succession_.*begin)(frame) || may_become_owner(c, l))
            produce(frame, {l.most == unlimited ? unlimited : l.most - counted, l.deadline});
    };
    while (counted < l.most && !over())
    {
        if (c.throws())
            passed_.rethrow_one();
        resubmit_recalled();
        if (succession_.is_free() || may_become_owner(c, l))
        {
            produce_if(&detail::succession::acquire);
            if (counted >= l.most || over())
                break;
        }
        detail::task* job = threads_.take();
        if (job || (park_caller(c, self, l.deadline) && (job = std::exchange(self.job, nullptr))))
        {
            if (job == &succession_)
                produce_if(&detail::succession::arrive);
            else
                run_job(job, counted, c.throws(), l.deadline);
        }
    }
}

// Whether this caller may go inside io_context::run() as the owner though another thread has the
// right.
ASIO_EWYK_DECL bool strategy_service::may_become_owner(
    caller const& c, call_limits const& l) const noexcept
{
    return l.deadline == detail::forever && l.most == unlimited && !c.stepping
        && !succession_.is_exclusive() && succession_.watch().observes_waits()
        && !succession_.has_owner();
}

// Runs a task that was given to the pool, or helps, and then counts the handlers that run.
ASIO_EWYK_DECL void strategy_service::run_job(
    detail::task* job, std::size_t& counted, bool throws, detail::time_point deadline)
{
    bool const helps = job->is_request();
    detail::call_frame frame(frame_key());
    detail::at_exit const counts([&] { counted += helps ? frame.counted : 0; });
    frame.in_task = true;
    frame.throws = throws && helps;
    frame.deadline = deadline;
    threads_.client().run(job);
    frame.rethrow_captured();
}

// Parks a caller, unless there is something to do. True if another thread has claimed it.
ASIO_EWYK_DECL bool strategy_service::park_caller(
    caller const& c, detail::idle_caller& self, detail::time_point deadline)
{
    detail::idle_callers& callers = threads_.callers();
    detail::trace_span const parks(detail::trace_event::park);
    callers.park(self);
    detail::test_point();
    // Dekker with all of these, see doc/design.adoc: otherwise an idle caller could sleep beside
    // work, or through a stop.
    bool const busy = succession_.is_free() || threads_.client().size() != 0
        || ioc_.stopped() || (c.throws() && passed_.any());
    if (!busy && self.sleep.park_until(deadline))
        return true;
    if (callers.withdraw(self))
        return false;
    // Claimed meanwhile: the job comes first.
    return self.sleep.park_until(detail::forever);
}

// Handlers run only while a caller is inside run(). Tasks that wait in the pool when the last one
// leaves, or after a stop, wait here for the next.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::recall_tasks() noexcept
{
    while (detail::task* t = threads_.take())
        if (t == &succession_)
            succession_.give_up_request();
        else
        {
            threads_.debit(); // it counts when it is given to the pool again
            std::lock_guard const lock(recalled_mutex_);
            recalled_.push(t);
            has_recalled_.store(true);
        }
    // A caller that has come meanwhile may rely on the request, and on the tasks. Dekker: a caller
    // counts itself before it looks for recalled tasks.
    if (threads_.runners() == 0 || ioc_.stopped())
        return;
    succession_.dispatch();
    if (has_recalled_.load())
    {
        wake_up();
        threads_.wake_idle_caller();
    }
}

// A thread inside run() gives recalled tasks to the pool again, and runs those that the pool
// refuses. If one throws, another caller or the next call submits the rest.
ASIO_EWYK_DECL void strategy_service::resubmit_recalled()
{
    // After a stop the tasks wait for the next run().
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
            if (detail::task* const refused = threads_.give(detail::task_ptr(t), true))
                run_refused(refused);
        }
    }
    catch (...)
    {
        wake_up();
        threads_.wake_idle_caller();
        throw;
    }
}

// The last caller of run() waits until no handler runs any more, as with an io_context; except one
// that has called run() itself. The handlers that still run may wait for others, so the caller
// produces for a moment after each pause. A pause is as long as the whole wait before it: so one is
// soon longer than any handler that waits for no other, also where handlers block all the time.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::quiesce_pool(caller const& c)
{
    constexpr std::chrono::milliseconds shortest_pause(1);
    constexpr std::chrono::milliseconds longest_sleep(64);
    constexpr std::chrono::milliseconds round(10);
    auto const begun = std::chrono::steady_clock::now();
    for (auto end_of_pause = begun + shortest_pause;;)
    {
        // Again each time: a late thread may wait inside the io_context beside the one that was
        // woken, and a thread that still produces may have given another task to the pool.
        recall_tasks();
        wake_up();
        if (threads_.await_pool(frame_key(), std::min(end_of_pause, detail::after(longest_sleep))))
            return;
        auto now = std::chrono::steady_clock::now();
        if (ioc_.stopped() || now < end_of_pause)
            continue;
        produce_while_leaving(c, now + std::min<std::chrono::nanoseconds>(now - begun, round));
        now = std::chrono::steady_clock::now();
        end_of_pause = now + (now - begun);
    }
}

// The last caller produces once more on its way out. What a handler throws then is treated as on a
// thread of the pool.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::produce_while_leaving(
    caller const& c, detail::time_point deadline)
{
    std::size_t counted = 0;
    threads_.runner_came(false);
    detail::call_inline([&] { caller_loop(c, counted, {unlimited, deadline}); },
        [this](std::exception_ptr error) noexcept { report_stray(std::move(error)); });
    threads_.credit(counted);
    threads_.runner_left(false);
}

} // namespace asio_ewyk

#endif
