// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_CONTEXT_STRATEGY_SERVICE_HPP
#define ASIO_EWYK_DETAIL_CONTEXT_STRATEGY_SERVICE_HPP

#include <asio_ewyk/detail/asio/basic_executor.hpp>
#include <asio_ewyk/detail/asio/service_traits.hpp>
#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/task/task.hpp>
#include <asio_ewyk/metrics.hpp>
#include <asio_ewyk/strategy_options.hpp>
#include <asio_ewyk/worker_pool.hpp>

#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace asio_ewyk::detail {

class strategy_service;

using strategy_executor_traits = service_traits<strategy_service, true>;
using strategy_executor = basic_executor<strategy_executor_traits, std::allocator<void>, false>;

// Runs the handlers of one io_context by an execution strategy: the part of a strategy_context that
// does the work, and what use_strategy installs, as a service of the io_context. Handlers wait in
// the queue of that. Thread-safe, except for halt() and destruction.
//
// Only what a program has compiled for its handlers is here; the rest is in strategy_service_impl.
class alignas(target_alignment) strategy_service : public asio::execution_context::service
{
public:
    // What the service is told of its io_context.
    enum class concurrency_hint
    {
        unknown,
        one_thread,   // by its concurrency hint it expects one thread inside run()
        many_threads, // by its concurrency hint it expects many
    };

    // Installs a service that has a pool of its own. Throws std::invalid_argument for options that
    // cannot work.
    static strategy_service& install(asio::io_context& ioc, strategy_options const& options = {},
        concurrency_hint hint = concurrency_hint::unknown);

    // Uses a pool that outlives the service.
    static strategy_service& install(asio::io_context& ioc, worker_pool& pool, strategy_t s,
        std::chrono::nanoseconds grace = default_grace, strategy_policy const& policy = {},
        std::size_t concurrency = 0, concurrency_hint hint = concurrency_hint::unknown);

    // Null if that context has none.
    static strategy_service* installed_in(asio::execution_context& context);

    // The io_context that it belongs to. No-throw guarantee.
    asio::io_context& context() const noexcept { return ioc_; }

    // The pool whose threads run tasks, as the callers of run() do. No-throw guarantee.
    virtual worker_pool& pool() const noexcept = 0;

    // An executor with the strategy of the options. No-throw guarantee.
    strategy_executor get_executor() noexcept
    {
        return strategy_executor(*this, {.strategy = strategy(), .invocation = {}});
    }

    // Runs tasks until the deadline, as strategy_context::run_until() does. Throws what a task on
    // this thread throws, after production was passed on to others.
    virtual std::size_t run_until(std::chrono::steady_clock::time_point deadline) = 0;

    // More handlers than ever run.
    static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

    // Runs at most limit tasks, on this thread where the strategy allows, as
    // strategy_context::run_one_until and, if it may not wait, poll do. Throws likewise.
    virtual std::size_t step(
        std::size_t limit, bool may_wait, std::chrono::steady_clock::time_point deadline) = 0;

    // As io_context::stop. No-throw guarantee.
    virtual void stop() noexcept = 0;

    // stop(), destroys what waits in the pool, and waits for the tasks that run there.
    virtual void halt() = 0;

    // halt(), where the context is about to be destroyed. If that is in a handler of the context,
    // as the process ends there, calls of run() do not return any more.
    virtual void end() = 0;

    // Whether this thread runs a handler of the context, or is in a section of one. No-throw
    // guarantee.
    virtual bool is_in_handler() const noexcept = 0;

    // Counters and present figures. May be called by any thread, also while handlers run or are
    // stuck. Throws std::bad_alloc.
    strategy_metrics metrics() const;

    // As strategy_context::load. No-throw guarantee.
    load_metrics load() const noexcept;

    // The strategy of the options. No-throw guarantee.
    strategy_t strategy() const noexcept { return strategy_; }

    // Whether this thread runs a task of the context. No-throw guarantee.
    virtual bool running_in_this_thread() const noexcept = 0;

    // For strategy_executor::execute.
    template <class F, class Allocator>
    void execute(submission s, F&& f, Allocator const& allocator);

protected:
    strategy_service(asio::execution_context& owner, strategy_t s)
        : asio::execution_context::service(owner)
        , ioc_(static_cast<asio::io_context&>(owner))
        , strategy_(s)
    {
    }

    ~strategy_service() = default;

    // A function whose type is not known to what runs it: so that is compiled once, and not for
    // each type of handler. Refers to a function, which is moved from when it runs or becomes a
    // task.
    class erased_function;

    // Calls a function here: as a part of the handler that this thread runs, or, for a completion,
    // as a handler. False if it is to be posted.
    virtual bool run_at_once(submission s, erased_function f) = 0;

    // What a wrapper knows of its submission. Layout: [time of the steady_clock 63 bits][counted
    // while it waits 1 bit]. The time also is the function's name in a trace. 0: nothing is to be
    // known.
    using stamp_t = std::uint64_t;

    // Null for a function that is posted without a wrapper.
    virtual std::optional<stamp_t> stamp_of(submission s) noexcept = 0;

    // The thread inside the io_context that has found the function runs it, or gives it to the
    // pool.
    virtual void run_posted(submission s, stamp_t stamp, erased_function f) = 0;

    // Any thread that may use the context may use these: each is thread-safe by itself.
    asio::io_context& ioc_;
    strategy_t const strategy_;
    std::atomic<bool> shut_down_{false};

private:
    template <class F>
    class wrapper;
    template <class F, class Allocator>
    void post(submission s, F&& f, Allocator const& allocator);
};

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
    explicit erased_function(F& f) noexcept : function_(&f), type_(&type_of<F>)
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

    wrapper(strategy_service& service, submission s, stamp_t stamp, F&& f)
        : to_(service, s), stamp_(stamp), f_(std::move(f))
    {
    }

    void operator()() { to_.target().run_posted(to_.get(), stamp_, erased_function(f_)); }

private:
    packed_target<strategy_service> to_;
    stamp_t stamp_;
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
        if (auto const stamp = stamp_of(s))
            ex.execute(wrapper<F>(*this, s, *stamp, std::move(f)));
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

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/context/strategy_service_impl.hpp>
#endif

#endif
