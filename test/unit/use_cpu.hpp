// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_UNIT_USE_CPU_HPP
#define ASIO_EWYK_TEST_UNIT_USE_CPU_HPP

#include <asio_ewyk/detail/os/thread_clock.hpp>

#include <chrono>

namespace support {

/// Computes for that long, however often others have the core.
inline void use_cpu(std::chrono::nanoseconds time)
{
    auto const end = asio_ewyk::detail::this_thread_cpu_time() + time;
    while (asio_ewyk::detail::this_thread_cpu_time() < end)
    {
    }
}

} // namespace support

#endif
