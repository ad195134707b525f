// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TASK_POSTED_COUNT_HPP
#define ASIO_EWYK_DETAIL_TASK_POSTED_COUNT_HPP

#include <asio_ewyk/detail/metrics/raise_to.hpp>

#include <atomic>
#include <cstdint>

namespace asio_ewyk::detail {

// How many tasks wait in an io_context's queue, which Asio does not tell. Any thread.
class posted_count
{
public:
    // Before it is posted. Relaxed, all of them: nothing is published with a figure.
    void post() noexcept { posted_.fetch_add(1, std::memory_order_relaxed); }

    // When it is run.
    void take() noexcept
    {
        most(waiting());
        taken_.fetch_add(1, std::memory_order_release);
    }

    std::uint64_t taken() const noexcept { return taken_.load(std::memory_order_acquire); }

    // Never less than 0: what was taken is read first.
    std::uint64_t waiting() const noexcept
    {
        std::uint64_t const gone = taken();
        return posted_.load(std::memory_order_relaxed) - gone;
    }

    // The most so far, of which n is one.
    std::uint64_t most(std::uint64_t n) noexcept { return raise_to(most_, n); }

private:
    alignas(64) std::atomic<std::uint64_t> posted_{0};
    alignas(64) std::atomic<std::uint64_t> taken_{0};
    std::atomic<std::uint64_t> most_{0};
};

} // namespace asio_ewyk::detail

#endif
