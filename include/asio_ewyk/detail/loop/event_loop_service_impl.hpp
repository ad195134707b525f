// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_EVENT_LOOP_SERVICE_IMPL_HPP
#define ASIO_EWYK_DETAIL_LOOP_EVENT_LOOP_SERVICE_IMPL_HPP

#include <asio_ewyk/detail/loop/event_loop_service.hpp>
#include <asio_ewyk/detail/utility/checked_option.hpp>

#include <algorithm>
#include <memory>

namespace asio_ewyk::detail {

// The executor

static_assert(asio::execution::is_executor_v<event_loop_executor>);
static_assert(sizeof(event_loop_executor) <= 16);

// The service

template <class F, class Allocator>
void event_loop_service::execute(submission s, F&& f, Allocator const& allocator)
{
    bool const inside = running_in_this_thread();
    if (inside && !s.blocking_never)
        return run_inline(std::forward<F>(f));
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
        t = make_submitted(std::forward<F>(f), allocator);
    }
    catch (...)
    {
        if (limited)
            pending_.fetch_sub(1);
        throw;
    }
    if (inside)
    {
        depth_.add();
        ready_.push(t);
    }
    else
        posted_.push(t);
    schedule();
    if (closed_.load()) [[unlikely]]
        destroy_late();
}

template <class F, class Allocator>
task* event_loop_service::make_submitted(F&& f, Allocator const& allocator)
{
    task* const t = make_task(std::forward<F>(f), {}, {}, allocator);
    if (times_ || trace_recorder::get())
        t->submitted = std::chrono::steady_clock::now();
    trace_point(trace_event::post, t, since_epoch(t->submitted));
    return t;
}

template <class F>
void event_loop_service::execute_after_round(F&& f)
{
    if (!running_in_this_thread())
        execute({{}, {}, true},
            [this, f = std::decay_t<F>(std::forward<F>(f))]() mutable {
                add_after_round(std::move(f));
            },
            std::allocator<void>());
    else if (closed_.load())
        [[maybe_unused]] std::decay_t<F> const dropped(std::forward<F>(f));
    else
        add_after_round(std::forward<F>(f));
}

// Also in the last round, whose end then runs it.
template <class F>
void event_loop_service::add_after_round(F&& f)
{
    task* const t = make_submitted(std::forward<F>(f), std::allocator<void>());
    depth_.add();
    after_round_.push(t);
    schedule();
}

template <class F>
void event_loop_service::run_inline(F&& f)
{
    in_place_.add();
    // A stackful coroutine may be suspended in f, and resumed anywhere, even after the loop. So f
    // is a part of the handler that has resumed the coroutine, and not measured.
    char const here = 0;
    if (!stack_.holds(&here))
        return call(std::forward<F>(f));
    handler_scope const running(&describe<std::decay_t<F>>);
    timed_run const timed(times_.get());
    call(std::forward<F>(f));
}

// Not by the io_context's executor: an exception would wait for the end of the round.
template <class F>
void event_loop_service::call(F&& f)
{
    call_inline(std::forward<F>(f),
        [this, there = watch_.there()](std::exception_ptr e) noexcept {
            there.report_by([&] { caught(std::move(e)); });
        });
}

template <timer_queue::kind Kind, class F>
std::shared_ptr<timer_queue::entry> event_loop_service::run_later(
    std::chrono::nanoseconds delay, std::chrono::nanoseconds period, F&& f)
{
    using kind = timer_queue::kind;
    if constexpr (Kind != kind::once)
        check_option(period > period.zero(),
            Kind == kind::fixed_rate ? "event_loop::schedule_at_fixed_rate: period"
                                     : "event_loop::schedule_with_fixed_delay: delay",
            "more than 0", period);
    time_point const due = after(std::max(delay, std::chrono::nanoseconds::zero()));
    start();
    // Read after the start: a loop that ended without a thread has set it before, and a thread that
    // ends closes the timer_queue.
    if (closed_.load())
    {
        [[maybe_unused]] std::decay_t<F> const dropped(std::forward<F>(f));
        return nullptr;
    }
    return timer_queue_->add<Kind>(ioc_, due, period, std::forward<F>(f));
}

} // namespace asio_ewyk::detail

#endif
