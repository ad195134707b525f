#ifndef ASIO_EWYK_DETAIL_IMPL_STANDBY_IPP
#define ASIO_EWYK_DETAIL_IMPL_STANDBY_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/cpu_binding.hpp>
#include <asio_ewyk/detail/standby.hpp>

#include <atomic>
#include <chrono>
#include <stdexcept>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL std::chrono::nanoseconds checked_grace(std::chrono::nanoseconds grace)
{
    if (grace < std::chrono::nanoseconds::zero())
        throw std::invalid_argument("grace must be at least 0");
    return grace;
}

ASIO_EWYK_DECL standby::standby(duration grace, bool learns, task::action untold) noexcept
    : grace_(grace)
    , learns_(learns)
    , computing_grace_(grace > duration::max() / computing ? grace : computing * grace)
    , interval_(grace)
    , may_spread_(in_use() && has_several_cpus())
    , history_(untold)
{
}

ASIO_EWYK_DECL standby::verdict standby::watch::look(production now) noexcept
{
    if (now.state != production_state::lent)
    {
        if (++quiet_ < patience)
            return verdict::look_again;
        at_.interval_.forget();
        return verdict::leave;
    }
    quiet_ = 0;
    duration const time
        = std::chrono::steady_clock::now() - at_.began_.load(std::memory_order_relaxed);
    if (time < at_.grace_)
    {
        at_.interval_.grow();
        return verdict::look_again;
    }
    if (time < at_.computing_grace_
        && !sleeps(at_.lender_.load(std::memory_order_relaxed)))
        return verdict::look_again;
    at_.interval_.shrink();
    at_.count_late();
    return verdict::take_over;
}

ASIO_EWYK_DECL void standby::watch::wait()
{
    at_.sleep_.park_until(after(at_.interval_.get()));
}

ASIO_EWYK_DECL void standby::decide(time_point now) noexcept
{
    duration const time = now - began_window_;
    duration const ran(ran_.exchange(0, std::memory_order_relaxed));
    bool const lends = !may_spread_ || spread_.lends_after({time, tasks_, cpu_.take(), ran});
    spreads_ = !lends;
    pays_ = late_.exchange(0, std::memory_order_relaxed) * too_often < time && lends;
    began_window_ = now;
    tasks_ = 0;
}

} // namespace asio_ewyk::detail

#endif
