// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_METRICS_RAISE_TO_HPP
#define ASIO_EWYK_DETAIL_METRICS_RAISE_TO_HPP

#include <algorithm>
#include <atomic>

namespace asio_ewyk::detail {

// Any thread: returns the most so far, of which n is one. Relaxed: nothing is published with it.
template <class T>
T raise_to(std::atomic<T>& most, T n) noexcept
{
    T seen = most.load(std::memory_order_relaxed);
    while (seen < n && !most.compare_exchange_weak(seen, n, std::memory_order_relaxed))
    {
    }
    return std::max(seen, n);
}

} // namespace asio_ewyk::detail

#endif
