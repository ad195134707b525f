#ifndef ASIO_EWYK_DETAIL_TIME_STAMP_HPP
#define ASIO_EWYK_DETAIL_TIME_STAMP_HPP

#include <asio_ewyk/detail/deadline.hpp>

#include <chrono>
#include <cstdint>

namespace asio_ewyk::detail {

// A time of the steady clock in 32 bits, which a task has room for: in units of 256 ns, of which
// there are as many as pass in 18 minutes. An age is right up to that.
class time_stamp
{
public:
    using duration = std::chrono::nanoseconds;

    time_stamp() noexcept = default;

    explicit time_stamp(time_point t) noexcept
        : units_(units(t))
    {
    }

    // Rounded down, like both times; never negative.
    duration age(time_point now) const noexcept
    {
        return duration(duration::rep{static_cast<std::uint32_t>(units(now) - units_)} * unit);
    }

private:
    static constexpr duration::rep unit = 256;

    static std::uint32_t units(time_point t) noexcept
    {
        return static_cast<std::uint32_t>(duration(t.time_since_epoch()).count() / unit);
    }

    std::uint32_t units_ = 0;
};

} // namespace asio_ewyk::detail

#endif
