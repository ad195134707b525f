// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVER_ACCEPT_RATE_HPP
#define ASIO_EWYK_DETAIL_SERVER_ACCEPT_RATE_HPP

#include <asio_ewyk/detail/os/deadline.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace asio_ewyk::detail {

// So many a second, and what a tenth of a second allows at once. The caller tells the time, and
// there is no timer: the only state is when all that was taken would have come at an even pace.
class accept_rate
{
public:
    // 0: no limit.
    explicit accept_rate(std::size_t per_second) noexcept
        : per_second_(per_second)
        , interval_(per_second == 0 ? 0 : second / std::min<std::size_t>(per_second, second))
        , burst_(interval_ * (std::max<std::size_t>(std::min(per_second, second) / 10, 1) - 1))
    {
    }

    // If it is another one than before, it begins anew.
    void set(std::size_t per_second) noexcept
    {
        if (per_second != per_second_)
            *this = accept_rate(per_second);
    }

    // 0 if one more is allowed, which counts then; else after how long to ask again: several may be
    // allowed by then, so that nothing wakes for each of them. `now` never goes back.
    std::chrono::nanoseconds take(time_point now) noexcept
    {
        std::chrono::nanoseconds const ahead = even_ - now;
        if (ahead > burst_)
            return std::max<std::chrono::nanoseconds>(ahead - burst_, std::chrono::milliseconds(1));
        even_ = std::max(even_, now) + interval_;
        return {};
    }

private:
    static constexpr std::size_t second = 1'000'000'000;

    std::size_t per_second_;
    std::chrono::nanoseconds interval_;
    std::chrono::nanoseconds burst_; // by how much it may be ahead
    time_point even_{};
};

} // namespace asio_ewyk::detail

#endif
