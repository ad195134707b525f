// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_STRATEGY_SERVICE_HPP
#define ASIO_EWYK_IMPL_STRATEGY_SERVICE_HPP

#include <asio_ewyk/detail/engine/trace_choice.hpp>
#include <asio_ewyk/detail/os/thread_stack.hpp>
#include <asio_ewyk/strategy_service.hpp>

#include <boost/config.hpp>

#include <type_traits>
#include <utility>

namespace asio_ewyk {

static_assert(asio::execution::is_executor_v<strategy_executor>);
static_assert(sizeof(strategy_executor) <= 16);
static_assert(
    sizeof(std::decay_t<decltype(asio::require(std::declval<strategy_executor>(),
            asio::execution::outstanding_work.tracked))>)
    <= 16);

// What a task of the pool is to the io_context: outstanding work until it has run.
class BOOST_SYMBOL_VISIBLE strategy_service::task_work
{
public:
    explicit task_work(strategy_service& service) noexcept
        : work_(service)
    {
    }

private:
    detail::strategy_executor_traits::work work_;
};

// What is posted to the io_context: a function, and how it is to be run.
template <class F>
class strategy_service::wrapper
{
public:
    template <class G>
    wrapper(strategy_service& service, detail::submission s, std::uint64_t note, G&& f)
        : to_(service, s)
        , note_(note)
        , f_(std::forward<G>(f))
    {
    }

    void operator()() { to_.target().run_posted(to_.get(), note_, std::move(f_)); }

private:
    detail::packed_target<strategy_service> to_;
    std::uint64_t note_; // see strategy_service::note()
    F f_;
};

template <class F, class Allocator>
void strategy_service::execute(detail::submission s, F&& f, Allocator const& allocator)
{
    if (shut_down_.load(std::memory_order_relaxed)) // set by the thread that destroys the context
        return;
    if (!s.blocking_never)
        switch (where_to_run(s))
        {
        case place::as_a_part:
            return run_inline(std::forward<F>(f));
        case place::as_a_task:
            return run_completion(s, std::forward<F>(f));
        case place::elsewhere:
            s.blocking_never = true;
        }
    submit(s, std::forward<F>(f), allocator);
}

// To the io_context.
template <class F, class Allocator>
void strategy_service::submit(detail::submission s, F&& f, Allocator const& allocator)
{
    auto const to = [&](auto ex) {
        if (s.blocking_never)
            ex = asio::require(ex, asio::execution::blocking.never);
        if (s.continuation)
            ex = asio::require(ex, asio::execution::relationship.continuation);
        if (wraps(s))
            ex.execute(wrapper<std::decay_t<F>>(*this, s, note(), std::forward<F>(f)));
        else
            ex.execute(std::forward<F>(f));
    };
    if constexpr (std::is_same_v<Allocator, std::allocator<void>>)
        to(ioc_.get_executor());
    else
        to(asio::require(ioc_.get_executor(), asio::execution::allocator(allocator)));
}

// Asio keeps an exception until the handler that it runs is over.
template <class F>
void strategy_service::run_completion(detail::submission s, F&& f)
{
    try
    {
        run_posted(s, 0, std::forward<F>(f));
    }
    catch (...)
    {
        std::exception_ptr error = detail::exception_of_a_handler();
        if (!error)
            throw;
        report_stray(std::move(error));
    }
}

// What a function owns is destroyed as a part of the task: a destructor may block as well.
template <class F>
void strategy_service::run_here(F&& f)
{
    std::decay_t<F> function(std::forward<F>(f));
    function();
}

// By the thread that is inside the io_context.
template <class F>
void strategy_service::run_posted(detail::submission s, std::uint64_t note, F&& f)
{
    if ((note & 1) != 0) [[unlikely]]
        depth_.take();
    detail::call_frame* const here = frame();
    if (!here || here->in_task) [[unlikely]]
    {
        // The io_context is run by its own functions, or by a handler: a part of that.
        if (decision_.is_for_pool(s.strategy, s.invocation))
            return give(s, note, std::forward<F>(f));
        return run_here(std::forward<F>(f));
    }
    bool may_block = detail::this_thread_may_block;
    auto const how
        = decision_.decide(*here, s.strategy, s.invocation, subject(note), may_block);
    if (how == detail::way::given)
    {
        ++here->counted;
        return give(s, note, std::forward<F>(f));
    }
    if (times_ && note > 1) [[unlikely]]
        record_delay(note);
    running const until_end(*this, *here, how);
    detail::handler_scope const scope(&detail::describe<std::decay_t<F>>, subject(note));
    detail::timed_run const timed(times_.get());
    if (may_block)
        run_here(std::forward<F>(f));
    else
    {
        detail::may_block_scope const mark(false);
        run_here(std::forward<F>(f));
    }
    here->rethrow_captured();
}

// As a part of the task that this thread runs. Asio keeps an exception until the handler is over;
// the pool keeps it in the frame.
template <class F>
void strategy_service::run_inline(F&& f)
{
    // A function that was suspended may resume when the context is gone.
    detail::call_frame::run_inline(owner(), std::forward<F>(f),
        [this, there = watch_.there()](std::exception_ptr e) noexcept {
            there.report_by([&] { report_stray(std::move(e)); });
        });
}

// To the pool. The task may be allocated: then the function is moved once more.
template <class F>
void strategy_service::give(detail::submission s, std::uint64_t note, F&& f)
{
    detail::task* const t = detail::make_task(std::forward<F>(f), s.strategy, s.invocation,
        std::allocator<void>(), [this]() noexcept { return task_work(*this); });
    if (times_)
        t->submitted = submitted(note);
    detail::trace_point(detail::trace_event::post, t);
    detail::trace_choice(t, s.strategy, detail::sub_strategy::produce_execute_consume, false);
    if (detail::task* const back = threads_.give(
            detail::task_ptr(t), detail::traits_of(s.strategy).queues_for_pool))
        run_back(back);
}

} // namespace asio_ewyk

#endif
