// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TASK_PASSED_EXCEPTIONS_HPP
#define ASIO_EWYK_DETAIL_TASK_PASSED_EXCEPTIONS_HPP

#include <asio_ewyk/detail/config.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <list>
#include <mutex>
#include <utility>

namespace asio_ewyk::detail {

// What handlers of a context have thrown on threads of the pool, until it leaves run() or a sibling
// on the thread of a caller: each leaves one call, the oldest first.
//
// waiting_ is Dekker with callers_: see doc/design.adoc. Otherwise an exception could stay here
// although the last caller leaves. If both threads see the other, the mutex decides. If there is no
// caller, the exception goes back to the thread that passed it. An exception that a caller has left
// behind, since it left with another one, waits for the next call.
//
// Wake-up: for a caller that parks it is Dekker with waiting_, too; otherwise it could sleep beside
// an exception. The thread that passes one then wakes all callers, those that are parked and
// the one that waits inside the io_context.
class passed_exceptions
{
public:
    passed_exceptions() = default;
    passed_exceptions(passed_exceptions const&) = delete;
    passed_exceptions& operator=(passed_exceptions const&) = delete;

    // A caller: not of a call inside a handler, which the exception would go through.
    void came() noexcept { callers_.fetch_add(1); }
    void left() noexcept { callers_.fetch_sub(1); }

    // Any thread.
    bool any() const noexcept { return waiting_.load() != 0; }

    // Any thread. False if there is no caller, or no memory.
    ASIO_EWYK_COLD bool pass(std::exception_ptr const& error) noexcept
    {
        try
        {
            std::lock_guard const lock(mutex_);
            errors_.push_back(error);
            waiting_.store(errors_.size());
        }
        catch (...)
        {
            return false;
        }
        if (callers_.load() != 0)
            return true;
        std::lock_guard const lock(mutex_);
        auto const own = std::find(errors_.begin(), errors_.end(), error);
        if (own == errors_.end())
            return true;
        errors_.erase(own);
        waiting_.store(errors_.size());
        return false;
    }

    // A caller: throws the first that waits, if any.
    void rethrow_one()
    {
        if (any()) [[unlikely]]
            rethrow_first();
    }

private:
    ASIO_EWYK_COLD void rethrow_first()
    {
        std::unique_lock lock(mutex_);
        if (errors_.empty())
            return;
        std::exception_ptr const first = std::move(errors_.front());
        errors_.pop_front();
        waiting_.store(errors_.size());
        lock.unlock();
        std::rethrow_exception(first);
    }

    std::mutex mutex_;
    std::list<std::exception_ptr> errors_; // guarded by mutex_

    std::atomic<std::size_t> waiting_{0}; // the size of that; written under mutex_
    std::atomic<std::size_t> callers_{0};
};

// Where a pool sends exceptions that its threads cannot throw.
class exception_passer
{
public:
    // False if it goes nowhere.
    virtual bool pass(std::exception_ptr const& error) noexcept = 0;

protected:
    ~exception_passer() = default;
};

} // namespace asio_ewyk::detail

#endif
