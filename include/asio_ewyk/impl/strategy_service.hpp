// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_STRATEGY_SERVICE_HPP
#define ASIO_EWYK_IMPL_STRATEGY_SERVICE_HPP

#include <asio_ewyk/impl/strategy_executor.hpp>
#include <asio_ewyk/strategy_service.hpp>

#include <boost/config.hpp>

#include <utility>

namespace asio_ewyk {

// What a task is to the io_context: outstanding work until it has run.
class BOOST_SYMBOL_VISIBLE strategy_service::task_work
{
public:
    explicit task_work(strategy_service& service) noexcept
        : work_(service)
    {
    }

private:
    detail::strategy_work work_;
};

template <class F, class Allocator>
void strategy_service::execute(detail::submission s, F&& f, Allocator const& allocator)
{
    detail::call_frame* const frame = detail::call_frame::find(&engine_);
    // In a frame, or on a thread that runs the io_context itself: as plain Asio does.
    if (!s.blocking_never
        && (frame
            || (ioc_.get_executor().running_in_this_thread()
                && !detail::call_frame::is_away(&engine_))))
    {
        if (!frame || !frame->in_producer)
            return run_inline(std::forward<F>(f));
        switch (begin_in_place(*frame, s))
        {
        case in_place::here:
            return complete<detail::task_for<F, Allocator, task_work>>(
                *frame, std::forward<F>(f));
        case in_place::as_a_part:
            run_inline(std::forward<F>(f));
            return end_part();
        case in_place::not_here:
            break;
        }
    }
    if (shut_down_.load(std::memory_order_relaxed)) // set by the thread that destroys the context
        return;
    submit(frame,
        detail::make_task(std::forward<F>(f), s.strategy, s.invocation, allocator,
                           [this]() noexcept { return task_work(*this); }),
        s.blocking_never);
}

// A completion, inside the producer, on the thread's own stack: it ends here.
template <class Task, class F>
void strategy_service::complete(detail::call_frame& frame, F&& f)
{
    struct end
    {
        strategy_service& self;
        detail::call_frame& frame;
        ~end() { self.end_in_place(frame); }
    } const on_exit{*this, frame};
    detail::handler_scope const running(&Task::act);
    detail::timed_run const timed(times_.get());
    run_inline(std::forward<F>(f));
}

template <class F>
void strategy_service::run_inline(F&& f)
{
    // A function that was suspended may resume when the context is gone.
    detail::call_frame::run_inline(&engine_, std::forward<F>(f),
        [this, there = watch_.there()](std::exception_ptr e) noexcept {
            there.report_by([&] { report_stray(std::move(e)); });
        });
}

} // namespace asio_ewyk

#endif
