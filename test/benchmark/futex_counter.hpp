// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_FUTEX_COUNTER_HPP
#define ASIO_EWYK_TEST_BENCHMARK_FUTEX_COUNTER_HPP

#include <cstdint>
#include <optional>

namespace benchmark {

/** Counts the futex calls of this thread, and of all that are started from now on.

    By the kernel's tracepoint, which needs the right to use it (root, or a permissive
    /proc/sys/kernel/perf_event_paranoid and a readable tracefs).
*/
class futex_counter
{
public:
    /// If not `wanted` it counts nothing, and costs nothing.
    explicit futex_counter(bool wanted);
    ~futex_counter();
    futex_counter(futex_counter const&) = delete;
    futex_counter& operator=(futex_counter const&) = delete;

    /// Nothing if they cannot be counted here.
    std::optional<std::uint64_t> calls() const;

private:
    int descriptor_ = -1;
};

} // namespace benchmark

#endif
