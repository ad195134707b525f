#ifndef ASIO_EWYK_DETAIL_IMPL_EVENT_LOOP_SERVICE_HPP
#define ASIO_EWYK_DETAIL_IMPL_EVENT_LOOP_SERVICE_HPP

#include <asio_ewyk/detail/event_loop_service.hpp>
#include <asio_ewyk/detail/impl/event_loop_executor.hpp>
#include <asio_ewyk/detail/this_thread.hpp>

namespace asio_ewyk::detail {

template <class F, class Allocator>
void event_loop_service::execute(submission s, F&& f, Allocator const& allocator)
{
    bool const inside = running_in_this_thread();
    if (inside && !s.blocking_never)
    {
        // Not by the io_context's executor: what is thrown would wait for the end of the round.
        in_place_.add();
        std::decay_t<F> function(std::forward<F>(f));
        handler_scope const running(&describe<std::decay_t<F>>);
        timed_run const timed(times_.get());
        try
        {
            std::move(function)();
        }
        catch (...)
        {
            caught();
        }
        return;
    }
    if (closed_.load())
    {
        [[maybe_unused]] std::decay_t<F> const dropped(std::forward<F>(f));
        return;
    }
    start();
    bool const limited = options_.max_pending_tasks != 0;
    if (limited)
    {
        std::size_t n = pending_.load();
        do
            if (n >= options_.max_pending_tasks && !inside)
                throw queue_full_error();
        while (!pending_.compare_exchange_weak(n, n + 1));
    }
    task* t = nullptr;
    try
    {
        t = make_task(std::forward<F>(f), {}, {}, allocator);
    }
    catch (...)
    {
        if (limited)
            pending_.fetch_sub(1);
        throw;
    }
    if (times_)
        t->submitted = time_stamp(std::chrono::steady_clock::now());
    trace_point(trace_event::post, t);
    if (inside)
    {
        depth_.add();
        ready_.push(t);
    }
    else
        posted_.push(t);
    schedule();
}

template <timetable::kind Kind, class F>
std::shared_ptr<timetable::entry> event_loop_service::run_later(
    std::chrono::nanoseconds delay, std::chrono::nanoseconds period, F&& f)
{
    time_point const due = after(std::max(delay, std::chrono::nanoseconds::zero()));
    start();
    // Looked at afterwards: a loop that ended without a thread has closed before, and every thread
    // closes the timetable.
    if (closed_.load())
    {
        [[maybe_unused]] std::decay_t<F> const dropped(std::forward<F>(f));
        return nullptr;
    }
    return timetable_->add<Kind>(ioc_, due, period, std::forward<F>(f));
}

template <class F>
void event_loop_service::wait_in_background(F f)
{
    std::lock_guard const lock(mutex_);
    block_signals blocked;
    waiters_.emplace_back([this, f = std::move(f)] {
        name_this_thread(options_.name + "-end", options_.number);
        f();
    });
}

} // namespace asio_ewyk::detail

#endif
