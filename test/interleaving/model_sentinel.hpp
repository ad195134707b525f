// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Stands for the sentinel: what it does, a thread of the scenario does.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_MODEL_SENTINEL_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_MODEL_SENTINEL_HPP

#define ASIO_EWYK_DETAIL_ENGINE_SENTINEL_HPP
#define ASIO_EWYK_DETAIL_OS_THREAD_PROBE_HPP
#include <asio_ewyk/detail/frame/lessor.hpp>

namespace asio_ewyk::detail {

// The system does not tell.
struct thread_probe
{
    enum class state
    {
        unknown,
        runs,
        polls,
        locks,
        blocks,
    };
    state of(thread_id) noexcept { return state::unknown; }
};

class sentinel
{
public:
    sentinel(lease const& l, lessor& of, std::chrono::nanoseconds grace) noexcept
        : observed(l)
        , owner(of)
        , in_use_(grace != std::chrono::nanoseconds::zero())
    {
    }

    bool in_use() const noexcept { return in_use_; }
    void alert() noexcept {}
    bool is_long(std::chrono::nanoseconds) const noexcept { return false; }
    void missed_native() noexcept {}
    void observe_waits(bool) noexcept {}
    bool refused() const noexcept { return false; }
    void stop(bool) noexcept {}

    lease const& observed;
    lessor& owner;

private:
    bool in_use_;
};

}

#endif
