// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Stands for the sentinel: what it does, a thread of the scenario does.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_MODEL_SENTINEL_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_MODEL_SENTINEL_HPP

#define ASIO_EWYK_DETAIL_ENGINE_SENTINEL_HPP
#include <asio_ewyk/detail/frame/lessor.hpp>

namespace asio_ewyk::detail {

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
    void observe_waits() noexcept { observes_ = true; }
    bool observes_waits() const noexcept { return observes_; }
    void knows_reactor(bool) noexcept {}
    bool refused() const noexcept { return false; }
    void stop(bool) noexcept {}

    lease const& observed;
    lessor& owner;

private:
    bool in_use_;
    bool observes_ = false;
};

}

#endif
