// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TASK_TASK_HPP
#define ASIO_EWYK_DETAIL_TASK_TASK_HPP

#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy.hpp>

#include <boost/asio/recycling_allocator.hpp>
#include <boost/config.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace asio_ewyk::detail {

// A function to run, linkable into one queue at a time. A function pointer instead of virtual
// functions: one indirection, and no destructor to call by mistake.
class task
{
public:
    task(task const&) = delete;
    task& operator=(task const&) = delete;

    // Runs the task. The object is gone (or, if it is not of the heap, reusable) before the
    // function is called, so that its memory can serve what the function allocates.
    void run()
    {
        if (request_)
        {
            // No handler, whatever it runs.
            trace_span const arrives(trace_event::consume, this, act_, no_handler);
            act_(this, task_purpose::run);
            return;
        }
        handler_scope const running(act_, this, since_epoch(submitted));
        act_(this, task_purpose::run);
    }

    // Destroys the task without running it.
    void destroy() noexcept
    {
        try
        {
            act_(this, task_purpose::destroy);
        }
        catch (...)
        {
            // The function's move has thrown; it is destroyed all the same.
        }
    }

    strategy_t strategy() const noexcept { return strategy_; }
    invocation_t invocation() const noexcept { return invocation_; }

    using action = task_action;

    // The same for all tasks that run a function of the same type.
    action type() const noexcept { return act_; }

    // Whether it only asks for a thread, and is not a user's task.
    bool is_request() const noexcept { return request_; }

    // Belongs to the queue that the task is in.
    task* next = nullptr;

    // When it was submitted; written only if that is measured or a trace is recorded, before others
    // can see the task.
    time_point submitted{};

protected:
    task(action act, strategy_t s, invocation_t i, bool request = false) noexcept
        : strategy_(s)
        , invocation_(i)
        , request_(request)
        , act_(act)
    {
    }

    ~task() = default;

private:
    strategy_t strategy_;
    invocation_t invocation_;
    bool request_;
    action act_;
};

// Owns a task; what a producer finds.
class task_ptr
{
public:
    task_ptr() noexcept = default;

    explicit task_ptr(task* t) noexcept
        : task_(t)
    {
    }

    task_ptr(task_ptr&& other) noexcept
        : task_(other.release())
    {
    }

    task_ptr& operator=(task_ptr&& other) noexcept
    {
        task_ptr(std::move(other)).swap(*this);
        return *this;
    }

    ~task_ptr()
    {
        if (task_)
            task_->destroy();
    }

    void swap(task_ptr& other) noexcept { std::swap(task_, other.task_); }
    task* release() noexcept { return std::exchange(task_, nullptr); }

    explicit operator bool() const noexcept { return task_ != nullptr; }
    task const* get() const noexcept { return task_; }
    void operator()() { release()->run(); }
    strategy_t strategy() const noexcept { return task_->strategy(); }
    invocation_t invocation() const noexcept { return task_->invocation(); }
    task::action type() const noexcept { return task_->type(); }

private:
    task* task_ = nullptr;
};

// A function with its allocator and with what it keeps alive (outstanding work) until it has run.
template <class Function, class Allocator, class Keep>
class BOOST_SYMBOL_VISIBLE function_task : public task
{
public:
    using allocator_type =
        typename std::allocator_traits<Allocator>::template rebind_alloc<function_task>;

    template <class F, class MakeKeep>
    function_task(
        F&& f, Allocator const& allocator, MakeKeep& make_keep, strategy_t s, invocation_t i)
        : task(&function_task::act, s, i)
        , function_(std::forward<F>(f))
        , keep_(make_keep())
        , allocator_(allocator)
    {
    }

    // Its address tells the type of the task, also across the boundary of a shared library. So it
    // is not inline: g++ may be told to hide what is.
    static boost::core::typeinfo const* act(task* base, task_purpose purpose);

private:
    struct release
    {
        void operator()(function_task* self) noexcept
        {
            self->~function_task();
            std::allocator_traits<allocator_type>::deallocate(allocator, self, 1);
        }

        [[no_unique_address]] allocator_type allocator;
    };

    Function function_;
    [[no_unique_address]] Keep keep_;
    [[no_unique_address]] Allocator allocator_;
};

template <class Function, class Allocator, class Keep>
boost::core::typeinfo const* function_task<Function, Allocator, Keep>::act(
    task* base, task_purpose purpose)
{
    if (purpose == task_purpose::describe) [[unlikely]]
        return &BOOST_CORE_TYPEID(Function);
    auto* const task = static_cast<function_task*>(base);
    // Declared first, released last: a handler's own destructor is still part of its work.
    [[maybe_unused]] Keep keep(std::move(task->keep_));
    // Also if the function's move throws.
    std::unique_ptr<function_task, release> self(task, release{allocator_type(task->allocator_)});
    Function function(std::move(self->function_));
    self.reset();
    if (purpose == task_purpose::run)
        std::move(function)();
    return nullptr;
}

// std::allocator stands for "no preference": Asio's per-thread cache serves such tasks faster.
template <class Allocator>
struct task_allocator
{
    using type = Allocator;
    static type get(Allocator const& a) noexcept { return a; }
};

template <class T>
struct task_allocator<std::allocator<T>>
{
    using type = asio::recycling_allocator<void>;
    static type get(std::allocator<T> const&) noexcept { return {}; }
};

// The action of a function that is not a task, but is run as one.
template <class Function>
boost::core::typeinfo const* describe(task*, task_purpose) noexcept
{
    return &BOOST_CORE_TYPEID(Function);
}

struct keep_nothing
{
    keep_nothing operator()() const noexcept { return {}; }
};

template <class F, class Allocator, class Keep>
using task_for = function_task<std::decay_t<F>, typename task_allocator<Allocator>::type, Keep>;

// Throws what the allocator or the function's move throws; then the function is not consumed, and
// the caller's copy destroys it. The result of make_keep() is kept until the task has run.
// make_keep() is called last, when nothing can fail: dropping the only work would end a context.
template <class F, class Allocator = std::allocator<void>, class MakeKeep = keep_nothing>
task* make_task(F&& f, strategy_t s = {}, invocation_t i = {}, Allocator const& allocator = {},
    MakeKeep make_keep = {})
{
    static_assert(std::is_nothrow_invocable_v<MakeKeep&>);
    using mapped = task_allocator<Allocator>;
    using op = task_for<F, Allocator, std::invoke_result_t<MakeKeep&>>;
    using traits = std::allocator_traits<typename op::allocator_type>;
    typename op::allocator_type a(mapped::get(allocator));
    op* memory = traits::allocate(a, 1);
    try
    {
        return ::new (static_cast<void*>(memory))
            op(std::forward<F>(f), mapped::get(allocator), make_keep, s, i);
    }
    catch (...)
    {
        traits::deallocate(a, memory, 1);
        throw;
    }
}

} // namespace asio_ewyk::detail

#endif
