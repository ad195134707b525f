// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_BACK_OFF_HPP
#define ASIO_EWYK_DETAIL_OS_BACK_OFF_HPP

#include <asio_ewyk/detail/os/deadline.hpp>

#include <algorithm>
#include <chrono>

namespace asio_ewyk::detail {

// When the system is asked again for a thread, which it has refused: at once after the first time,
// then after a pause that grows with each. To ask takes some 40 us. Not thread-safe.
class back_off
{
public:
    // Whether the last one was refused.
    bool refused() const noexcept { return times_ != 0; }

    // Whether it is time to ask.
    bool over() const noexcept { return times_ < 2 || std::chrono::steady_clock::now() >= until_; }

    void refuse() noexcept
    {
        constexpr int most = 10; // about a second
        until_ = after(std::chrono::milliseconds(1 << times_));
        times_ = std::min(times_ + 1, most);
    }

    void grant() noexcept { times_ = 0; }

private:
    int times_ = 0; // in a row
    time_point until_{};
};

} // namespace asio_ewyk::detail

#endif
