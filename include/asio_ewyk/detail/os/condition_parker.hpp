// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_CONDITION_PARKER_HPP
#define ASIO_EWYK_DETAIL_OS_CONDITION_PARKER_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>

#include <condition_variable>
#include <mutex>
#include <utility>

#if defined(ASIO_EWYK_DETAIL_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace asio_ewyk::detail {

// A parker for any system; see parker.hpp.
class condition_parker
{
public:
    condition_parker() noexcept { forget_mutex(); }
    ~condition_parker() { forget_mutex(); }

    void unpark() noexcept
    {
        std::lock_guard lock(mutex_);
        signalled_ = true;
        // Under the lock: once the sleeper sees the signal it may destroy this object.
        condition_.notify_one();
    }

    bool park_until(time_point deadline)
    {
        std::unique_lock lock(mutex_);
        if (deadline == forever)
            condition_.wait(lock, [this] { return signalled_; });
        else
            condition_.wait_until(lock, deadline, [this] { return signalled_; });
        return std::exchange(signalled_, false);
    }

private:
    // A std::mutex does not tell ThreadSanitizer of its end. That would take this one for the mutex
    // that stood in the same place of a stack before, or will, and see locks of both in a circle.
    void forget_mutex() noexcept
    {
#if defined(ASIO_EWYK_DETAIL_TSAN)
        __tsan_mutex_destroy(&mutex_, 0);
#endif
    }

    std::mutex mutex_;
    std::condition_variable condition_;
    bool signalled_ = false; // guarded by mutex_
};

} // namespace asio_ewyk::detail

#endif
