// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_CONTEXT_STRATEGY_SERVICE_CALLS_IPP
#define ASIO_EWYK_DETAIL_CONTEXT_STRATEGY_SERVICE_CALLS_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/context/strategy_service_impl.hpp>
#include <asio_ewyk/detail/task/recycled_memory.hpp>
#include <asio_ewyk/detail/utility/at_exit.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <utility>

namespace asio_ewyk::detail {

// The calls of run() and its siblings

ASIO_EWYK_DECL std::size_t strategy_service_impl::run_until(
    std::chrono::steady_clock::time_point deadline)
{
    std::size_t n = 0;
    with_recycled_memory([&] { n = call({unlimited, deadline}, false); });
    return n;
}

ASIO_EWYK_DECL std::size_t strategy_service_impl::step(
    std::size_t limit, bool may_wait, std::chrono::steady_clock::time_point deadline)
{
    return call({limit, deadline, may_wait}, true);
}

// The end of a call that is not inside a handler of the context. A handler may end the process by
// std::exit(), on whose thread the context is then destroyed. The thread of this call never comes
// back to the program, which would use the context.
ASIO_EWYK_DECL void strategy_service_impl::end_call() noexcept
{
    if ((calls_.fetch_sub(one_call) & ends) != 0) [[unlikely]]
        parker().park_until(forever);
}

ASIO_EWYK_DECL std::size_t strategy_service_impl::call(call_limits const& l, bool stepping)
{
    call_frame* const outer = frame();
    bool const inner = is_in_handler();
    // A handler that waits for others here is going to be late.
    if (l.may_wait)
        call_frame::end_leases();
    if (outer && (outer->produces() || !succession_.is_exclusive()))
        return run_nested(*outer, l);
    if (!inner && (calls_.fetch_add(one_call) & ends) != 0) [[unlikely]]
        end_call();
    at_exit const ends_call([&] {
        if (!inner)
            end_call();
    });
    std::size_t counted = 0;
    try
    {
        {
            caller here{stepping, inner};
            // A call inside a handler takes no exceptions of other threads: the handler might catch
            // them.
            if (!inner)
                passed_.came();
            // Pool threads take the first caller's signal mask, so that signals arrive as if
            // handlers ran on the threads of callers only.
            if (threads_.runner_came(stepping) && own_pool_)
                threads_.pool().take_signal_mask();
            at_exit const leaves([&] {
                leave_call(here);
                if (!inner)
                    passed_.left();
            });
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
        if (!inner && exception_of_a_handler())
            thrown_.add();
        throw;
    }
}

// Runs handlers by the io_context's own functions.
ASIO_EWYK_DECL std::size_t strategy_service_impl::step_asio(call_frame& frame, call_limits const& l)
{
    bool const exclusive = succession_.is_exclusive();
    bool const all_at_once = !l.may_wait && l.most == unlimited && !exclusive;
    // Also when a handler has thrown: the library's own do not count as stepped, but a wake-up
    // among them is consumed.
    at_exit const over([&, before = frame.uncounted] {
        if (std::exchange(frame.uncounted, before) != before)
            wake_up_consumed_.store(true);
    });
    std::size_t counted = 0;
    while (counted < l.most)
    {
        auto const n = call_asio(frame, frame.steps(), [&] {
            return all_at_once          ? ioc_.poll()
                : !l.may_wait           ? ioc_.poll_one()
                : l.deadline == forever ? ioc_.run_one()
                                        : ioc_.run_one_until(l.deadline);
        });
        counted += n.others;
        if (n.all == 0 || all_at_once || frame.passed_right != 0 || (exclusive && !frame.produces())
            || (frame.throws && passed_.any()))
            break;
    }
    return counted;
}

// A call of run() or a sibling in a handler: the handlers that run are parts of that one.
ASIO_EWYK_DECL std::size_t strategy_service_impl::run_nested(
    call_frame& frame, call_limits const& l)
{
    at_exit const over([&, in_task = std::exchange(frame.in_task, true),
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
    auto const enough =
        beside ? std::min(l.deadline, after(std::chrono::milliseconds(4))) : l.deadline;
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
ASIO_EWYK_DECL std::size_t strategy_service_impl::step_beside(caller const& c, call_limits const& l)
{
    if (!c.inner && passed_.any())
        return 0;
    call_frame frame(frame_key());
    frame.thread = call_frame::thread_of::stepping_caller;
    frame.throws = !c.inner;
    resubmit_recalled();
    if (succession_.is_exclusive() && !succession_.acquire(frame))
        return 0;
    at_exit const leaves([&] {
        // For continuations: see produce().
        bool const others = threads_.runners() > 1 && !ioc_.stopped();
        succession_.stop_producing(frame, others);
        if (others)
            wake_up();
    });
    return step_asio(frame, l);
}

// A task that has waited in the pool, see recall_tasks().
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service_impl::keep_recalled(task* t) noexcept
{
    std::lock_guard const lock(recalled_mutex_);
    recalled_.push(t);
    has_recalled_.store(true);
}

// A thread inside run() gives recalled tasks to the pool again, and runs those that the pool
// refuses. If one throws, another caller or the next call submits the rest.
ASIO_EWYK_DECL void strategy_service_impl::resubmit_recalled()
{
    // After a stop the tasks wait for the next run().
    if (!has_recalled_.load() || ioc_.stopped()) [[likely]]
        return;
    try
    {
        for (;;)
        {
            std::unique_lock lock(recalled_mutex_);
            task* const t = recalled_.pop();
            if (!t)
                return has_recalled_.store(false);
            lock.unlock();
            threads_.credit(1);
            if (task* const refused = threads_.give(task_ptr(t), true))
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

} // namespace asio_ewyk::detail

#endif
