// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_ROUTINE_HPP
#define ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_ROUTINE_HPP

#include <coroutine>
#include <optional>
#include <utility>

namespace virtual_time {

/** A function of a simulated thread: a coroutine that begins when it is awaited, and that may suspend
    the whole thread. Destroying it destroys what it awaits. An exception leaves machine::run_until(),
    for only an error of the model throws.
*/
template <class T = void>
class routine;

/// What the promises of all routines have in common.
class routine_promise
{
public:
    struct returns
    {
        bool await_ready() const noexcept { return false; }
        void await_resume() const noexcept {}

        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept
        {
            return ended.promise().caller;
        }
    };

    std::suspend_always initial_suspend() const noexcept { return {}; }
    returns final_suspend() const noexcept { return {}; }
    void unhandled_exception() const { throw; }

    std::coroutine_handle<> caller = std::noop_coroutine();
};

/// With what a routine returns.
template <class T>
class valued_promise : public routine_promise
{
public:
    routine<T> get_return_object() noexcept;
    void return_value(T value) noexcept { value_ = value; }
    T result() const noexcept { return *value_; }

private:
    std::optional<T> value_;
};

template <>
class valued_promise<void> : public routine_promise
{
public:
    routine<void> get_return_object() noexcept;
    void return_void() const noexcept {}
    void result() const noexcept {}
};

template <class T>
class routine
{
public:
    using promise_type = valued_promise<T>;
    using handle = std::coroutine_handle<promise_type>;

    routine() noexcept = default;
    explicit routine(handle h) noexcept
        : handle_(h)
    {
    }
    routine(routine&& from) noexcept
        : handle_(std::exchange(from.handle_, nullptr))
    {
    }
    routine& operator=(routine&& from) noexcept
    {
        std::swap(handle_, from.handle_);
        return *this;
    }
    ~routine()
    {
        if (handle_)
            handle_.destroy();
    }

    std::coroutine_handle<> begin() const noexcept { return handle_; }
    bool is_over() const noexcept { return handle_.done(); }

    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) const noexcept
    {
        handle_.promise().caller = caller;
        return handle_;
    }
    T await_resume() const noexcept { return handle_.promise().result(); }

private:
    handle handle_;
};

template <class T>
routine<T> valued_promise<T>::get_return_object() noexcept
{
    return routine<T>(std::coroutine_handle<valued_promise<T>>::from_promise(*this));
}

inline routine<void> valued_promise<void>::get_return_object() noexcept
{
    return routine<void>(std::coroutine_handle<valued_promise<void>>::from_promise(*this));
}

} // namespace virtual_time

#endif
