#ifndef ASIO_EWYK_DETAIL_IMPL_REACTOR_IPP
#define ASIO_EWYK_DETAIL_IMPL_REACTOR_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/reactor.hpp>
#include <asio_ewyk/detail/task_times.hpp>

#include <chrono>
#include <cstddef>
#include <mutex>
#include <utility>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL task_ptr reactor::produce(call_frame& frame)
{
    be_awake();
    for (;;)
    {
        count_inside(frame);
        if (must_leave(frame))
            break;
        if (!ready_.empty())
        {
            if (++since_poll_ < poll_interval)
            {
                task_ptr next(ready_.pop());
                depth_.take();
                gone(frame);
                return next;
            }
            since_poll_ = 0;
            depth_.look();
            if (!frame.run || frame.run->wait() != turn::waiting::no_reactor)
                poll(frame);
        }
        else if (posted_.drain_to(ready_))
        {
            if (ready_.has_several())
                depth_.look();
        }
        else if (!wait(frame))
            break;
        // Another thread produces, since a completion that ran in place was late.
        if (!frame.producing)
            return task_ptr();
    }
    leave();
    return task_ptr();
}

// From now on whoever posts sends a wake-up, so that a thread that runs the io_context itself finds
// the task; what is here already needs one too.
ASIO_EWYK_DECL void reactor::leave() noexcept
{
    last_look_ = {};
    asleep_.store(true);
    test_point();
    if (!ready_.empty() || !posted_.empty())
        wake_up();
}

ASIO_EWYK_DECL void reactor::gone(call_frame& frame) noexcept
{
    if (!std::exchange(frame.inside, false))
        return;
    test_point();
    pool_inside_.fetch_sub(1);
    end_expulsion();
    // A thread of the pool leaves, whatever there is to do: a parked caller who steps goes on.
    if (crew_.not_stepping() == 0)
        crew_.wake_guest();
}

ASIO_EWYK_DECL void reactor::poll(call_frame& frame)
{
    for (std::size_t i = 0; i != poll_batch && !must_leave(frame); ++i)
        if (inside(frame, visit::poll) == 0 || !frame.producing)
            break;
    // By somebody who knows it as an io_context only.
    if (ioc_.stopped())
        stopped_.store(true);
}

// False if there is nothing more to do here, and this is still the producer.
ASIO_EWYK_DECL bool reactor::wait(call_frame& frame)
{
    since_poll_ = 0;
    asleep_.store(true);
    test_point();
    bool progress = true;
    if (posted_.empty())
    {
        turn const* const t = frame.run;
        if (t && t->wait() == turn::waiting::no_reactor)
            progress = false;
        else if (t && t->wait() == turn::waiting::none)
            progress = inside(frame, visit::poll) != 0;
        else
            progress = inside(frame, visit::wait) != 0;
    }
    if (!frame.producing)
        return true;
    be_awake();
    if (progress)
        return true;
    if (ioc_.stopped())
    {
        crew_.wake_all();
        return false;
    }
    // A post that found the wait over by itself, at a deadline or in a poll.
    return !posted_.empty();
}

ASIO_EWYK_DECL std::size_t reactor::step(turn const* t, visit how)
{
    if (how == visit::poll)
        return ioc_.poll_one();
    if (t && t->deadline() != forever)
        return ioc_.run_one_until(t->deadline());
    return ioc_.run_one();
}

ASIO_EWYK_DECL std::size_t reactor::inside(call_frame& frame, visit how)
{
    std::size_t n = 0;
    {
        trace_span const waits(trace_event::wait);
        flag_scope producer(frame.in_producer, true);
        flag_scope account(frame.accounted, false);
        struct leave
        {
            reactor& self;
            call_frame& frame;
            ~leave()
            {
                self.end_finish(frame);
                self.end_suspended(frame);
                // What the late handler has caused may lie in the io_context without anybody having
                // been told: Asio keeps some of it for the thread, and counts on that to go on.
                if (!frame.producing)
                    self.wake_up();
            }
        } const on_exit{*this, frame};
        if (times_ && last_look_ != time_point{})
            times_->poll_delay.record(std::chrono::steady_clock::now() - last_look_);
        n = step(frame.run, how);
        if (frame.producing)
            looked();
        if (n != 0 && !frame.accounted)
        {
            crew_.count(frame);
            ran_by_itself_.add();
        }
    }
    frame.rethrow_captured();
    return n;
}

// A stackful coroutine was suspended in what ran in place, and will not come back here. If the
// right was lent for it, that is over: whoever stands by has it.
ASIO_EWYK_DECL void reactor::end_suspended(call_frame& frame) noexcept
{
    if (!frame.in_place) [[likely]]
        return;
    frame.in_place.reset();
    if (frame.producing)
        end_in_place(frame);
    else
        frame.end_loan();
}

ASIO_EWYK_DECL void reactor::wake_up() noexcept
{
    if (wake_queued_.exchange(true))
        return;
    trace_point(trace_event::wake_up);
    wake_slot_.send(ioc_, *this);
}

ASIO_EWYK_DECL void reactor::woken()
{
    // Before the producer looks at what was posted: a later post sends a wake-up of its own.
    wake_queued_.exchange(false);
    test_point();
    call_frame* const frame = call_frame::find(owner_);
    if (frame && frame->in_producer)
        frame->accounted = true;
    else
        foreign_wake_(foreign_wake_argument_);
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
            crew_.pool().client().run(t);
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

ASIO_EWYK_DECL void reactor::expel_pool_threads()
{
    if (pool_inside_.load() == 0)
        return;
    wake_up();
    expelling_.fetch_add(1);
    {
        std::unique_lock lock(mutex_);
        outside_.wait(
            lock, [this] { return pool_inside_.load() == 0 || crew_.not_stepping() != 0; });
    }
    expelling_.fetch_sub(1);
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
