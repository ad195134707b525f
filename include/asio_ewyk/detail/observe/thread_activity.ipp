// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OBSERVE_THREAD_ACTIVITY_IPP
#define ASIO_EWYK_DETAIL_OBSERVE_THREAD_ACTIVITY_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/os/thread_end.hpp>

#include <atomic>
#include <cstdint>

namespace asio_ewyk::detail {

struct thread_activity::at_thread_end
{
    thread_activity& record;

    ~at_thread_end()
    {
        record.vacate();
        if constexpr (!outlives_thread_locals)
            mine_ = &shared_; // for what the destructors of other thread-local objects run
    }
};

ASIO_EWYK_DECL ASIO_EWYK_COLD void thread_activity::claim() noexcept
{
    if (!(mine_ = unused()) && !(mine_ = add()))
    {
        mine_ = &shared_;
        return;
    }
    // Relaxed: the first change of the record, which is a release, publishes it.
    mine_->thread_.store(this_thread_id(), std::memory_order_relaxed);
    try
    {
        until_thread_end<at_thread_end> const end(*mine_);
    }
    catch (...)
    {
        // Without memory for that no other thread has the record later.
    }
}

ASIO_EWYK_DECL void thread_activity::forget_others() noexcept
{
    for_each([](thread_activity& a) {
        if (&a != mine_)
            a.vacate();
    });
    // Relaxed: there is no other thread.
    if (mine_)
        mine_->thread_.store(current_thread_id(), std::memory_order_relaxed);
}

ASIO_EWYK_DECL thread_activity::sight thread_activity::look() const noexcept
{
    sight s;
    s.changes = changes();
    s.now = {what_.load(std::memory_order_acquire), owner_.load(std::memory_order_acquire)};
    if (seen_change_.load(std::memory_order_acquire) == s.changes)
        s.seen = seen_.load(std::memory_order_acquire);
    if (dated_.load(std::memory_order_acquire) == s.changes)
        s.began = began_.load(std::memory_order_acquire);
    if (located_.load(std::memory_order_acquire) == s.changes)
    {
        std::uint64_t const places = places_.load(std::memory_order_acquire);
        s.where = {file_.load(std::memory_order_acquire),
            function_.load(std::memory_order_acquire), line_.load(std::memory_order_acquire)};
        if (places_.load(std::memory_order_acquire) != places)
            s.where = {};
    }
    std::uint64_t const after = changes();
    return after == s.changes ? s : sight{after, {}, {}, {}, 0};
}

} // namespace asio_ewyk::detail

#endif
