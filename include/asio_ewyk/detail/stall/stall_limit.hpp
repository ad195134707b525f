// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_STALL_STALL_LIMIT_HPP
#define ASIO_EWYK_DETAIL_STALL_STALL_LIMIT_HPP

#include <asio_ewyk/detail/os/deadline.hpp>

#include <chrono>
#include <cstddef>
#include <utility>

namespace asio_ewyk::detail {

// How many reports of one context there may be: so many in a second.
class stall_limit
{
public:
    static constexpr std::size_t most = 10;
    static constexpr std::chrono::nanoseconds window = std::chrono::seconds(1);

    // `full`: there is no room for one.
    bool allows(time_point now, bool full = false) noexcept
    {
        if (n_ == 0 || now - began_ >= window)
        {
            began_ = now;
            n_ = 0;
        }
        if (n_ == most || full)
        {
            ++suppressed_;
            return false;
        }
        ++n_;
        return true;
    }

    // How many were not allowed since this was asked last.
    std::size_t take_suppressed() noexcept { return std::exchange(suppressed_, 0); }

private:
    time_point began_{};
    std::size_t n_ = 0; // in this window
    std::size_t suppressed_ = 0;
};

} // namespace asio_ewyk::detail

#endif
