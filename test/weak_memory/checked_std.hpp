// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A standard library for the shipped headers whose atomics, locks and threads are the checker's.
// Include first all that they include, then this one, then
//
//   #define std checked
//   #include <asio_ewyk/detail/...>
//   #undef std

#ifndef ASIO_EWYK_TEST_WEAK_MEMORY_CHECKED_STD_HPP
#define ASIO_EWYK_TEST_WEAK_MEMORY_CHECKED_STD_HPP

#include "checker/checker.hpp"

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

namespace checked {

using namespace ::std;

// As small as what it stands for, where that matters: a futex has 32 bits.
template <class T>
class atomic
{
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);

public:
    using value_type = T;

    atomic() noexcept
        : atomic(T())
    {
    }

    atomic(T value) noexcept
        : object_(weak_memory::make_atomic(sizeof(T), pack(value)))
    {
    }

    atomic(atomic const&) = delete;
    atomic& operator=(atomic const&) = delete;

    ~atomic() { weak_memory::destroy_atomic(std::exchange(object_, 0)); }

// The operation's place is that of the call.
#define EWYK_AT \
    char const *file = __builtin_FILE(), char const *function = __builtin_FUNCTION(), \
               unsigned line = __builtin_LINE()
#define EWYK_PLACE(kind) {file, function, line, weak_memory::access::kind, order}

    T load(std::memory_order order = std::memory_order_seq_cst, EWYK_AT) const noexcept
    {
        return unpack(weak_memory::load(object_, EWYK_PLACE(load)));
    }

    operator T() const noexcept { return load(); }

    void store(T value, std::memory_order order = std::memory_order_seq_cst, EWYK_AT) noexcept
    {
        weak_memory::store(object_, pack(value), EWYK_PLACE(store));
    }

    T exchange(T value, std::memory_order order = std::memory_order_seq_cst, EWYK_AT) noexcept
    {
        return modify(weak_memory::change::exchange, value, EWYK_PLACE(modify));
    }

    T fetch_add(T value, std::memory_order order = std::memory_order_seq_cst, EWYK_AT) noexcept
    {
        return modify(weak_memory::change::add, value, EWYK_PLACE(modify));
    }

    T fetch_sub(T value, std::memory_order order = std::memory_order_seq_cst, EWYK_AT) noexcept
    {
        return modify(weak_memory::change::subtract, value, EWYK_PLACE(modify));
    }

    T fetch_and(T value, std::memory_order order = std::memory_order_seq_cst, EWYK_AT) noexcept
    {
        return modify(weak_memory::change::bit_and, value, EWYK_PLACE(modify));
    }

    T fetch_or(T value, std::memory_order order = std::memory_order_seq_cst, EWYK_AT) noexcept
    {
        return modify(weak_memory::change::bit_or, value, EWYK_PLACE(modify));
    }

    bool compare_exchange_weak(
        T& expected, T desired, std::memory_order order = std::memory_order_seq_cst, EWYK_AT) noexcept
    {
        return compare_exchange(expected, desired, true, EWYK_PLACE(modify));
    }

    bool compare_exchange_strong(
        T& expected, T desired, std::memory_order order = std::memory_order_seq_cst, EWYK_AT) noexcept
    {
        return compare_exchange(expected, desired, false, EWYK_PLACE(modify));
    }

    // The order of a failure is always what the other one implies.
    bool compare_exchange_strong(T& expected, T desired, std::memory_order order, std::memory_order,
        EWYK_AT) noexcept
    {
        return compare_exchange(expected, desired, false, EWYK_PLACE(modify));
    }

    void wait(T old, std::memory_order order = std::memory_order_seq_cst, EWYK_AT) const noexcept
    {
        while (unpack(weak_memory::load(object_, EWYK_PLACE(load))) == old)
            weak_memory::sleep(object_, pack(old), false);
    }

#undef EWYK_AT
#undef EWYK_PLACE

    void notify_one() noexcept { weak_memory::wake(object_, 1); }
    void notify_all() noexcept { weak_memory::wake(object_, ~0u >> 1); }

    // For a futex. The object may be gone.
    weak_memory::object number() const noexcept { return object_; }

private:
    static std::uint64_t pack(T const& value) noexcept
    {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        return bits;
    }

    static T unpack(std::uint64_t bits) noexcept
    {
        T value;
        std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
        return value;
    }

    T modify(weak_memory::change what, T by, weak_memory::operation const& at) noexcept
    {
        return unpack(weak_memory::modify(object_, what, pack(by), at));
    }

    bool compare_exchange(
        T& expected, T desired, bool weak, weak_memory::operation const& at) noexcept
    {
        std::uint64_t bits = pack(expected);
        bool const done = weak_memory::compare_exchange(object_, bits, pack(desired), weak, at);
        if (!done)
            expected = unpack(bits);
        return done;
    }

    weak_memory::object object_;
};

class mutex
{
public:
    mutex()
        : object_(weak_memory::make_mutex())
    {
    }

    mutex(mutex const&) = delete;
    mutex& operator=(mutex const&) = delete;

    ~mutex() { weak_memory::destroy_mutex(std::exchange(object_, 0)); }

    void lock() { weak_memory::lock(object_); }
    bool try_lock() { return weak_memory::try_lock(object_); }
    void unlock() { weak_memory::unlock(object_); }

private:
    friend class condition_variable;
    weak_memory::object object_;
};

// It may wake for no reason; deadlines come at any time.
class condition_variable
{
public:
    condition_variable()
        : object_(weak_memory::make_condition())
    {
    }

    condition_variable(condition_variable const&) = delete;
    condition_variable& operator=(condition_variable const&) = delete;

    ~condition_variable() { weak_memory::destroy_condition(std::exchange(object_, 0)); }

    void notify_one() noexcept { weak_memory::notify(object_, false); }
    void notify_all() noexcept { weak_memory::notify(object_, true); }

    void wait(std::unique_lock<mutex>& lock)
    {
        weak_memory::wait(object_, lock.mutex()->object_, false);
    }

    template <class Time>
    std::cv_status wait_until(std::unique_lock<mutex>& lock, Time const&)
    {
        return weak_memory::wait(object_, lock.mutex()->object_, true) ? std::cv_status::no_timeout
                                                                       : std::cv_status::timeout;
    }

    template <class Predicate>
    void wait(std::unique_lock<mutex>& lock, Predicate holds)
    {
        while (!holds())
            wait(lock);
    }

    template <class Time, class Predicate>
    bool wait_until(std::unique_lock<mutex>& lock, Time const& time, Predicate holds)
    {
        while (!holds())
            if (wait_until(lock, time) == std::cv_status::timeout)
                return holds();
        return true;
    }

private:
    weak_memory::object object_;
};

// At most as many as the setup says, over all of an execution.
class thread
{
public:
    using id = ::std::thread::id;

    thread() noexcept = default;

    template <class F>
    explicit thread(F f)
        : function_(std::make_unique<std::function<void()>>(std::move(f)))
        , thread_(weak_memory::start_thread(&thread::run, function_.get()))
    {
    }

    thread(thread&&) noexcept = default;

    thread& operator=(thread&& other) noexcept
    {
        function_ = std::move(other.function_);
        thread_ = std::exchange(other.thread_, nullptr);
        return *this;
    }

    void swap(thread& other) noexcept { std::swap(*this, other); }
    bool joinable() const noexcept { return thread_ != nullptr; }
    void join() { weak_memory::join_thread(std::exchange(thread_, nullptr)); }
    static unsigned hardware_concurrency() noexcept { return 2; }

    // No thread of these ends the process, and is asked whether it is another one.
    id get_id() const noexcept { return {}; }
    void detach() noexcept { thread_ = nullptr; }

private:
    static void* run(void* function)
    {
        (*static_cast<std::function<void()>*>(function))();
        return nullptr;
    }

    std::unique_ptr<std::function<void()>> function_;
    void* thread_ = nullptr;
};

}

#endif
