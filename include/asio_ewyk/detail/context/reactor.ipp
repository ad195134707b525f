// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_CONTEXT_REACTOR_IPP
#define ASIO_EWYK_DETAIL_CONTEXT_REACTOR_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/context/reactor.hpp>
#include <asio_ewyk/detail/metrics/task_times.hpp>

#include <chrono>
#include <cstddef>
#include <mutex>
#include <utility>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL task_ptr reactor::produce(call_frame& frame)
{
    be_awake();
    if (host_.met_native())
        visits_.store(native_interval, std::memory_order_relaxed);
    // Otherwise another thread produces, since what ran inside was late.
    while (frame.producing && (!has_sections_ || host_.may_go_on(frame)))
    {
        // In a section others have produced.
        if (has_sections_) [[unlikely]]
            be_awake();
        if (must_leave(frame))
        {
            leave();
            break;
        }
        if (!hands_out_ && visits_ == 0 && host_.may_stay(frame))
            stay(frame);
        else if (!ready_.empty())
        {
            if (would_leave_wake_up(frame))
            {
                // Then the task, unless it is another's by now: two handlers that poll and give way
                // to each other before each task, where leave() sends a wake-up, must get on.
                inside(frame, visit::poll);
                if (!frame.producing || ready_.empty() || must_leave(frame))
                    continue;
            }
            if (++since_poll_ < poll_interval)
            {
                task_ptr next(ready_.pop());
                depth_.take();
                return next;
            }
            since_poll_ = 0;
            depth_.look();
            if (!frame.run || frame.run->wait() != run_call::waiting::no_reactor)
                poll(frame);
        }
        else if (posted_.drain_to(ready_))
        {
            if (ready_.has_several())
                depth_.look();
        }
        else
        {
            hands_out_ = false;
            if (!wait(frame))
            {
                leave();
                break;
            }
        }
    }
    return task_ptr();
}

// One task is left, and a wake-up, which is outstanding work. A caller that steps runs the wake-up
// first, so that the io_context stops with its last handler.
ASIO_EWYK_DECL bool reactor::would_leave_wake_up(call_frame const& frame) const noexcept
{
    return frame.run && frame.run->stepping()
        && frame.run->wait() != run_call::waiting::no_reactor && wake_queued_.load()
        && !ready_.has_several() && posted_.empty();
}

// From now on each post sends a wake-up, so that a thread that runs the io_context itself finds the
// task; what is here already needs one too.
ASIO_EWYK_DECL bool reactor::leave() noexcept
{
    last_look_ = {};
    asleep_.store(true);
    return announce();
}

ASIO_EWYK_DECL void reactor::gone(call_frame&) noexcept
{
    test_point();
    // A thread of the pool leaves in any case; a parked caller that steps then produces.
    if (threads_.not_stepping() == 0)
        threads_.wake_idle_caller();
}

ASIO_EWYK_DECL void reactor::poll(call_frame& frame)
{
    for (std::size_t i = 0; i != poll_batch && !must_leave(frame); ++i)
        if (inside(frame, visit::poll) == 0 || !frame.producing || is_awaited())
            break;
    // Through the base class.
    if (frame.producing && ioc_.stopped())
        stopped_.store(true);
}

// Inside the io_context each task is announced by a wake-up, one for all that come until it runs.
ASIO_EWYK_DECL void reactor::stay(call_frame& frame)
{
    since_poll_ = 0;
    asleep_.store(true);
    announce();
    inside(frame, visit::stay);
    if (!frame.producing)
        return;
    be_awake();
    if (ioc_.stopped())
        stopped_.store(true);
}

// False if there is nothing more to do here, and this is still the producer.
//
// In a visit this thread may be late, and be the producer again at its end. Others have produced
// meanwhile, and may have left tasks that no wake-up announces. So a wait begins only right after
// the look at what is queued, with no other visit in between.
ASIO_EWYK_DECL bool reactor::wait(call_frame& frame)
{
    since_poll_ = 0;
    run_call const* const t = frame.run;
    bool const may_enter = !t || t->wait() != run_call::waiting::no_reactor;
    // The poll marks a native handler that is ready.
    if (visits_ > settling && may_enter && !may_not_wait(frame)
        && (inside(frame, visit::poll) != 0 || !frame.producing || !ready_.empty()))
    {
        if (frame.producing)
            be_awake();
        return true;
    }
    asleep_.store(true);
    test_point();
    bool progress = true;
    if (posted_.empty())
        progress = may_enter
            && inside(frame, may_not_wait(frame) ? visit::poll : visit::wait) != 0;
    if (!frame.producing)
        return true;
    be_awake();
    if (progress)
        return true;
    if (ioc_.stopped())
    {
        threads_.wake_all();
        return false;
    }
    // A post that found the wait over by itself, at a deadline or in a poll; what others have left;
    // or a thread that waits to come back.
    return !ready_.empty() || !posted_.empty() || (is_awaited() && !polls(frame));
}

// What it waits for, a handler that was in a section may have done meanwhile, and nothing else may
// come. So such a call ends when it has looked once.
ASIO_EWYK_DECL bool reactor::polls(call_frame const& frame) noexcept
{
    return frame.run
        && (frame.run->wait() != run_call::waiting::allowed
            || (frame.gave_way && frame.run->stepping()));
}

ASIO_EWYK_DECL bool reactor::may_not_wait(call_frame const& frame) const noexcept
{
    return is_awaited() || polls(frame);
}

ASIO_EWYK_DECL std::size_t reactor::step(run_call const* t, visit how)
{
    switch (how)
    {
    case visit::poll:
        return ioc_.poll_one();
    case visit::stay:
        return leave_run::run_until_left(ioc_);
    case visit::wait:
        break;
    }
    if (t && t->deadline() != forever)
        return ioc_.run_one_until(t->deadline());
    return ioc_.run_one();
}

ASIO_EWYK_DECL std::size_t reactor::inside(call_frame& frame, visit how)
{
    std::size_t n = 0;
    bool native = false; // a native handler has run
    {
        trace_span const waits(trace_event::wait);
        flag_scope producer(frame.in_producer, true);
        flag_scope account(frame.accounted, false);
        flag_scope stays(frame.staying, how == visit::stay);
        flag_scope bound(frame.is_bound, frame.is_bound || one_thread_);
        struct leave
        {
            reactor& self;
            call_frame& frame;
            bool const& native;

            ~leave()
            {
                self.inside_.fetch_sub(1);
                frame.must_come_out = false;
                self.host_.end_visit(frame, native);
                // The io_context may hold completions of the late handler that no thread was woken
                // for: Asio keeps some of them for the thread, which it expects to continue.
                if (!frame.producing)
                    self.wake_up();
            }
        } const on_exit{*this, frame, native};
        if (times_ && last_look_ != time_point{})
            times_->poll_delay.record(std::chrono::steady_clock::now() - last_look_);
        inside_.fetch_add(1);
        frame.own_inside = 0;
        host_.begin_visit(frame,
            how == visit::poll ? lease::activity::native : lease::activity::waits,
            visits_.load(std::memory_order_relaxed) > settling);
        n = step(frame.run, how);
        std::size_t const own = how == visit::stay ? frame.own_inside : frame.accounted;
        for (std::size_t i = own; i < n; ++i)
        {
            threads_.count(frame);
            ran_by_itself_.add();
        }
        native = how != visit::stay && own < n;
    }
    if (frame.producing)
    {
        looked();
        if (frame.captured_inside)
            hands_out_ = true;
        if (how != visit::stay && n != 0)
            settle();
    }
    frame.captured_inside = false;
    frame.rethrow_captured();
    return n;
}

// After a visit for one completion.
ASIO_EWYK_DECL void reactor::settle() noexcept
{
    int const left = visits_.load(std::memory_order_relaxed);
    bool const alone = is_alone_inside();
    // While another thread is late inside, a handler that blocks is noticed only if it is marked.
    if (left != 0 && (alone || left <= 2 * settling))
        visits_.store(left - 1, std::memory_order_relaxed);
    // For a thread that was late in a native handler, and stays inside.
    if (!alone && ++since_call_out_ % settling == 0)
        wake_up();
}

ASIO_EWYK_DECL void reactor::wake_up() noexcept
{
    if (wake_queued_.exchange(true))
        return;
    trace_point(trace_event::wake_up);
    wakeup_op_.send(ioc_, *this);
}

ASIO_EWYK_DECL void reactor::woken()
{
    // Before the producer looks at what was posted: a later post sends a wake-up of its own.
    wake_queued_.exchange(false);
    test_point();
    call_frame* const frame = call_frame::find(owner_);
    if (!frame || !frame->in_producer)
        return host_.woken_elsewhere();
    frame->accounted = true;
    ++frame->own_inside;
    if (frame->staying)
        run_batch(*frame);
}

// The thread of that frame stays inside the io_context. It runs a limited number of tasks, so that
// completions get their turn.
ASIO_EWYK_DECL void reactor::run_batch(call_frame& frame)
{
    // What follows touches the producer's own members.
    host_.end_visit(frame, false);
    if (!frame.producing)
        throw leave_run();
    be_awake();
    bool out = quiet_.load() && quiet_.exchange(false);
    if (out)
        visits_.store(settling, std::memory_order_relaxed);
    {
        flag_scope const not_inside(frame.in_producer, false);
        for (std::size_t i = 0; i != poll_interval && !out; ++i)
        {
            if (must_leave(frame) || is_awaited())
                out = true;
            else if (ready_.empty() && !posted_.drain_to(ready_))
                break;
            else
            {
                // Counted before, as others may take over the counter.
                depth_.take();
                if (task* const t = ready_.pop(); !host_.run_inside(frame, t))
                {
                    depth_.add();
                    ready_.push_front(t);
                    hands_out_ = out = true;
                }
                else if (!frame.producing)
                    throw leave_run();
            }
        }
    }
    asleep_.store(true);
    announce();
    if (out)
        throw leave_run();
    host_.begin_visit(frame, lease::activity::waits, false);
}

ASIO_EWYK_DECL void reactor::run_posted()
{
    task_list here;
    if (!asleep_.load() || !posted_.drain_to(here))
        return;
    try
    {
        while (task* t = here.pop())
        {
            depth_.taken_elsewhere();
            threads_.pool().client().run(t);
        }
    }
    catch (...)
    {
        while (task* t = here.pop())
        {
            depth_.taken_elsewhere();
            post(t);
        }
        throw;
    }
}

ASIO_EWYK_DECL void reactor::destroy_tasks() noexcept
{
    // A destroyed handler may post again.
    do
        while (task* t = ready_.pop())
            t->destroy();
    while (posted_.drain_to(ready_));
}

} // namespace asio_ewyk::detail

#endif
