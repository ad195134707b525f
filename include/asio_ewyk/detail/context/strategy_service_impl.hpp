// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_CONTEXT_STRATEGY_SERVICE_IMPL_HPP
#define ASIO_EWYK_DETAIL_CONTEXT_STRATEGY_SERVICE_IMPL_HPP

#include <asio_ewyk/detail/context/strategy_service.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace asio_ewyk::detail {

static_assert(asio::execution::is_executor_v<strategy_executor>);
static_assert(sizeof(strategy_executor) <= 16);
static_assert(sizeof(std::decay_t<decltype(asio::require(std::declval<strategy_executor>(),
                      asio::execution::outstanding_work.tracked))>)
    <= 16);

// A function whose type is not known to what runs it: so that is compiled once, and not for each
// type of handler. Refers to a function, which is moved from when it runs or becomes a task.
class strategy_service::erased_function
{
public:
    template <class F>
    explicit erased_function(F& f) noexcept
        : function_(&f)
        , type_(&type_of<F>)
    {
    }

    // Also destroys it, as a part of the task: its destructor may block as well.
    void operator()() const { type_->run(function_); }

    task* to_task(strategy_service& service, submission s) const
    {
        return type_->to_task(function_, service, s);
    }

    task_action describe() const noexcept { return type_->describe; }

private:
    struct type
    {
        void (*run)(void* function);
        task* (*to_task)(void* function, strategy_service& service, submission s);
        task_action describe;
    };

    template <class F>
    static constexpr type type_of{
        [](void* self) {
            F here(std::move(*static_cast<F*>(self)));
            here();
        },
        [](void* self, strategy_service& service, submission s) {
            return make_task(std::move(*static_cast<F*>(self)), s.strategy, s.invocation,
                std::allocator<void>(),
                [&]() noexcept { return strategy_executor_traits::work(service); });
        },
        &detail::describe<F>,
    };

    void* function_;
    type const* type_;
};

// What is posted to the io_context: a function, and how it is to be run.
template <class F>
class strategy_service::wrapper
{
public:
    using tells_its_handlers = void; // see there

    wrapper(strategy_service& service, submission s, std::uint64_t stamp, F&& f)
        : to_(service, s)
        , stamp_(stamp)
        , f_(std::move(f))
    {
    }

    void operator()() { to_.target().run_posted(to_.get(), stamp_, erased_function(f_)); }

private:
    packed_target<strategy_service> to_;
    std::uint64_t stamp_; // see submission_stamp()
    F f_;
};

template <class F, class Allocator>
void strategy_service::execute(submission s, F&& f, Allocator const& allocator)
{
    if constexpr (!std::is_same_v<F, std::decay_t<F>>)
        return execute(s, std::decay_t<F>(std::forward<F>(f)), allocator);
    else
    {
        if (shut_down_.load(std::memory_order_relaxed)) // by the thread that destroys the context
            return;
        if (s.blocking_never || !run_at_once(s, erased_function(f)))
            post(s, std::move(f), allocator);
    }
}

// To the io_context.
template <class F, class Allocator>
void strategy_service::post(submission s, F&& f, Allocator const& allocator)
{
    auto const to = [&](auto ex) {
        if (s.continuation)
            ex = asio::require(ex, asio::execution::relationship.continuation);
        if (wraps(s))
            ex.execute(wrapper<F>(*this, s, submission_stamp(), std::move(f)));
        else
            ex.execute(std::move(f));
    };
    auto const ex = asio::require(ioc_.get_executor(), asio::execution::blocking.never);
    if constexpr (std::is_same_v<Allocator, std::allocator<void>>)
        to(ex);
    else
        to(asio::require(ex, asio::execution::allocator(allocator)));
}

} // namespace asio_ewyk::detail

#endif
