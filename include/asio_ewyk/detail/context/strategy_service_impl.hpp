// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_CONTEXT_STRATEGY_SERVICE_IMPL_HPP
#define ASIO_EWYK_DETAIL_CONTEXT_STRATEGY_SERVICE_IMPL_HPP

#include <asio_ewyk/detail/context/strategy_service.hpp>
#include <asio_ewyk/detail/engine/trace_choice.hpp>

#include <type_traits>
#include <utility>

namespace asio_ewyk::detail {

static_assert(asio::execution::is_executor_v<strategy_executor>);
static_assert(sizeof(strategy_executor) <= 16);
static_assert(sizeof(std::decay_t<decltype(asio::require(std::declval<strategy_executor>(),
                      asio::execution::outstanding_work.tracked))>)
    <= 16);

// What is posted to the io_context: a function, and how it is to be run.
template <class F>
class strategy_service::wrapper
{
public:
    using tells_its_handlers = void; // see there

    template <class G>
    wrapper(strategy_service& service, submission s, std::uint64_t stamp, G&& f)
        : to_(service, s)
        , stamp_(stamp)
        , f_(std::forward<G>(f))
    {
    }

    void operator()() { to_.target().run_posted(to_.get(), stamp_, std::move(f_)); }

private:
    packed_target<strategy_service> to_;
    std::uint64_t stamp_; // see submission_stamp()
    F f_;
};

template <class F, class Allocator>
void strategy_service::execute(submission s, F&& f, Allocator const& allocator)
{
    if (shut_down_.load(std::memory_order_relaxed)) // set by the thread that destroys the context
        return;
    if (!s.blocking_never)
        switch (how_to_dispatch(s))
        {
        case dispatch_as::part_of_handler:
            return run_inline(std::forward<F>(f));
        case dispatch_as::task:
            return run_completion(s, std::forward<F>(f));
        case dispatch_as::posted:
            s.blocking_never = true;
        }
    submit(s, std::forward<F>(f), allocator);
}

// To the io_context.
template <class F, class Allocator>
void strategy_service::submit(submission s, F&& f, Allocator const& allocator)
{
    auto const to = [&](auto ex) {
        if (s.blocking_never)
            ex = asio::require(ex, asio::execution::blocking.never);
        if (s.continuation)
            ex = asio::require(ex, asio::execution::relationship.continuation);
        if (wraps(s))
            ex.execute(wrapper<std::decay_t<F>>(*this, s, submission_stamp(), std::forward<F>(f)));
        else
            ex.execute(std::forward<F>(f));
    };
    if constexpr (std::is_same_v<Allocator, std::allocator<void>>)
        to(ioc_.get_executor());
    else
        to(asio::require(ioc_.get_executor(), asio::execution::allocator(allocator)));
}

// A completion that is called at once. Its exception waits until Asio's handler on this thread is
// over: see report_stray().
template <class F>
void strategy_service::run_completion(submission s, F&& f)
{
    call_inline([&] { run_posted(s, 0, std::forward<F>(f)); },
        [this](std::exception_ptr error) noexcept { report_stray(std::move(error)); });
}

// The function is destroyed as a part of the task: its destructor may block as well.
template <class F>
void strategy_service::run_here(F&& f)
{
    std::decay_t<F> function(std::forward<F>(f));
    function();
}

// The thread inside the io_context that has found the function runs it, or gives it to the pool.
template <class F>
void strategy_service::run_posted(submission s, std::uint64_t stamp, F&& f)
{
    if ((stamp & 1) != 0) [[unlikely]]
        depth_.take();
    call_frame* const here = frame();
    if (!here || here->is_inside_handler()) [[unlikely]]
    {
        // The io_context is run by its own functions, without a strategy; or by a handler, of which
        // the function is a part.
        if (decision_.is_for_pool(s.strategy, s.invocation))
            return give(s, stamp, std::forward<F>(f));
        return run_here(std::forward<F>(f));
    }
    bool may_block = this_thread_may_block;
    auto const how = decision_.decide(*here, s.strategy, s.invocation, trace_id(stamp), may_block);
    ++here->counted; // of what is given to the pool, too, also if the pool refuses it
    if (how == how_to_run::given)
        return give(s, stamp, std::forward<F>(f));
    if (times_ && stamp > 1) [[unlikely]]
        record_delay(stamp);
    decision::running const until_end(decision_, *here, how);
    handler_scope const scope(
        &describe<std::decay_t<F>>, trace_id(stamp), stamp >> 1);
    timed_run const timed(times_.get());
    if (may_block)
        run_here(std::forward<F>(f));
    else
    {
        may_block_scope const mark(false);
        run_here(std::forward<F>(f));
    }
    here->rethrow_captured();
}

// Runs a function as a part of the task that this thread runs. Its exception waits until that is
// over: in the frame, or in Asio.
template <class F>
void strategy_service::run_inline(F&& f)
{
    // A coroutine that was suspended in the function may resume when the context is gone, so this
    // is not used before `there` says that it is there.
    call_frame::run_inline(frame_key(), std::forward<F>(f),
        [this, there = watch_.there()](std::exception_ptr e) noexcept {
            there.report_by([&] { report_stray(std::move(e)); });
        });
}

// Gives a function to the pool, as a task, which may be allocated: then the function is moved once
// more. The task is outstanding work of the io_context until it has run.
template <class F>
void strategy_service::give(submission s, std::uint64_t stamp, F&& f)
{
    task* const t
        = make_task(std::forward<F>(f), s.strategy, s.invocation, std::allocator<void>(),
            [this]() noexcept { return strategy_executor_traits::work(*this); });
    if (times_ || stamp > 1)
        t->submitted = submitted_at(stamp);
    trace_point(trace_event::post, t);
    trace_choice(t, s.strategy, sub_strategy::produce_execute_consume, false);
    if (task* const refused = threads_.give(
            task_ptr(t), traits_of(s.strategy).queues_for_pool))
        run_refused(refused);
}

} // namespace asio_ewyk::detail

#endif
