// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The succession and the production_loop that ship, over checked words. The pool has no thread.

#ifndef ASIO_EWYK_TEST_WEAK_MEMORY_CHECKED_SUCCESSION_HPP
#define ASIO_EWYK_TEST_WEAK_MEMORY_CHECKED_SUCCESSION_HPP

#include "check.hpp"
#include "checked_futex.hpp"
#include "stand_ins.hpp"

#include <asio_ewyk/detail/metrics/strategy_counters.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/thread_clock.hpp>
#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy.hpp>
#include <asio_ewyk/worker_pool_options.hpp>

#include <boost/asio/execution_context.hpp>
#include <boost/asio/multiple_exceptions.hpp>
#include <boost/asio/recycling_allocator.hpp>
#include <boost/intrusive/list.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

// What it does, threads of the scenarios do.
#define ASIO_EWYK_DETAIL_WATCH_LEASE_WATCH_HPP
#define std checked
#define syscall checked_futex
#include <asio_ewyk/detail/frame/lessor.hpp>

namespace asio_ewyk::detail {

struct lease_watch
{
    lease_watch(lessor& of, std::chrono::nanoseconds) noexcept
        : lessor_(of)
    {}

    lease& right() noexcept { return lease_; }
    bool in_use() const noexcept { return true; }
    void wake_if_asleep() noexcept {}
    void mark_busy(lease::number n) noexcept { lease_.mark(n, lease::activity::busy); }
    void publish() noexcept {}
    bool observes_waits() const noexcept { return true; }
    void learn_reactor(int) noexcept {}
    void stop(bool) noexcept {}

    lessor& lessor_;

private:
    lease lease_;
};

}

#include <asio_ewyk/detail/engine/succession.hpp>
#include <asio_ewyk/detail/engine/production_loop.hpp>
#undef syscall
#undef std

#endif
