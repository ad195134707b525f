// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVER_ACCEPT_RATE_HPP
#define ASIO_EWYK_DETAIL_SERVER_ACCEPT_RATE_HPP

#include <asio_ewyk/detail/os/deadline.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace asio_ewyk::detail {

// So many a second, and what a tenth of a second allows at once. The caller tells the time, and
// there is no timer: the only state is when all that was taken would have come at an even pace.
class accept_rate
{
public:
    // 0 if one more is allowed, which counts then; else after how long to ask again: several may be
    // allowed by then, so that nothing wakes for each of them. `now` never goes back. A rate of 0
    // is no limit; one that is another one than before begins anew.
    std::chrono::nanoseconds take(time_point now, std::size_t per_second) noexcept
    {
        constexpr std::size_t second = 1'000'000'000;
        if (std::exchange(per_second_, per_second) != per_second)
            even_ = {};
        std::size_t const n = std::min(per_second, second);
        std::chrono::nanoseconds const interval(n == 0 ? 0 : second / n);
        // By how much it may be ahead.
        std::chrono::nanoseconds const burst = interval * (std::max<std::size_t>(n / 10, 1) - 1);
        std::chrono::nanoseconds const ahead = even_ - now;
        if (ahead > burst)
            return std::max<std::chrono::nanoseconds>(ahead - burst, std::chrono::milliseconds(1));
        even_ = std::max(even_, now) + interval;
        return {};
    }

private:
    std::size_t per_second_ = 0;
    time_point even_{}; // when all that was taken would have come
};

} // namespace asio_ewyk::detail

#endif
