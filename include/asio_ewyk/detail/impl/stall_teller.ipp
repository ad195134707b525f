#ifndef ASIO_EWYK_DETAIL_IMPL_STALL_TELLER_IPP
#define ASIO_EWYK_DETAIL_IMPL_STALL_TELLER_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/stack_capture.hpp>
#include <asio_ewyk/detail/stall_teller.hpp>

#include <chrono>
#include <stdexcept>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL void stall_settings::check() const
{
    check_stack_signal(stack_signal);
    if (threshold < std::chrono::nanoseconds::zero())
        throw std::invalid_argument("stall_threshold must be at least 0");
}

ASIO_EWYK_DECL bool stall_teller::tell(stall_report const& report) const noexcept
{
    try
    {
        if (settings_.on_stall)
            settings_.on_stall(report);
        return settings_.on_stall != nullptr;
    }
    catch (...)
    {
        return false;
    }
}

} // namespace asio_ewyk::detail

#endif
