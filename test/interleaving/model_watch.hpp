// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Stands for the lease_watch: what it does, a thread of the scenario does.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_MODEL_WATCH_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_MODEL_WATCH_HPP

#define ASIO_EWYK_DETAIL_WATCH_LEASE_WATCH_HPP
#include <asio_ewyk/detail/frame/lessor.hpp>

namespace asio_ewyk::detail {

class lease_watch
{
public:
    lease_watch(lessor& of, std::chrono::nanoseconds grace) noexcept
        : lessor_(of)
        , in_use_(grace != std::chrono::nanoseconds::zero())
    {
    }

    lease& right() noexcept { return lease_; }
    bool in_use() const noexcept { return in_use_; }
    void wake_if_asleep() noexcept {}
    void mark_busy(lease::number n) noexcept { lease_.mark(n, lease::activity::busy); }
    void publish() noexcept {}
    void observe_waits() noexcept { observes_ = true; }
    bool observes_waits() const noexcept { return observes_; }
    void learn_reactor(int) noexcept {}
    bool knows_reactor() const noexcept { return true; }
    bool is_reactor(int) const noexcept { return true; }
    bool sentinel_refused() const noexcept { return false; }
    void stop(bool) noexcept {}

    lessor& lessor_;

private:
    lease lease_;
    bool in_use_;
    bool observes_ = false;
};

}

#endif
