// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_RETURNING_THREADS_HPP
#define ASIO_EWYK_DETAIL_ENGINE_RETURNING_THREADS_HPP

#include <asio_ewyk/detail/observe/trace_point.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/parker.hpp>

#include <atomic>
#include <cstddef>
#include <mutex>

namespace asio_ewyk::detail {

// Threads that are at the end of a blocking_section and wait for the right to produce, which is the
// permit to run handlers where one runs at a time. First come, first served.
//
// Each of them has a wake-up sent; the producer, which runs that, passes its right to the first. A
// thread that gives the right up looks afterwards whether a thread waits here (any()), and a thread
// that comes adds itself before it looks whether the right is free. Both are sequentially
// consistent, so one of the two sees the other: Dekker.
class returning_threads
{
public:
    struct entry
    {
        parker sleep;
        entry* next = nullptr;
    };

    // Any thread: whether a thread waits.
    bool any() const noexcept { return size_.load() != 0; }

    // The thread that is to wait. The entry lives until another thread has woken it.
    void add(entry& e) noexcept
    {
        {
            std::lock_guard const lock(mutex_);
            (last_ ? last_->next : first_) = &e;
            last_ = &e;
            size_.fetch_add(1);
        }
        test_point();
    }

    // The thread that has the right: passes it to the first thread that waits. False if none does.
    bool pass_right() noexcept
    {
        entry* e = nullptr;
        {
            std::lock_guard const lock(mutex_);
            if (!first_)
                return false;
            e = first_;
            first_ = e->next;
            if (!first_)
                last_ = nullptr;
            size_.fetch_sub(1);
        }
        test_point();
        e->sleep.unpark();
        return true;
    }

private:
    std::mutex mutex_;
    entry* first_ = nullptr;
    entry* last_ = nullptr;
    std::atomic<std::size_t> size_{0};
};

} // namespace asio_ewyk::detail

#endif
