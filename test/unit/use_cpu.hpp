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
