#ifndef ASIO_EWYK_DETAIL_DEADLINE_HPP
#define ASIO_EWYK_DETAIL_DEADLINE_HPP

#include <chrono>

namespace asio_ewyk::detail {

// Deadlines, on the clock that nobody sets.
using time_point = std::chrono::steady_clock::time_point;

inline constexpr time_point forever = time_point::max();

// That long after a moment, or from now; forever if the clock does not reach that far.
inline time_point after(std::chrono::nanoseconds time,
    time_point begin = std::chrono::steady_clock::now()) noexcept
{
    return time < forever - begin ? begin + std::chrono::duration_cast<time_point::duration>(time)
                                  : forever;
}

} // namespace asio_ewyk::detail

#endif
