#ifndef ASIO_EWYK_DETAIL_STALL_TELLER_HPP
#define ASIO_EWYK_DETAIL_STALL_TELLER_HPP

#include <asio_ewyk/detail/stack_capture.hpp>
#include <asio_ewyk/detail/watched.hpp>
#include <asio_ewyk/stall_report.hpp>

#include <chrono>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace asio_ewyk::detail {

// What the options of a context say of stalls.
struct stall_settings
{
    template <class Options>
    explicit stall_settings(Options const& o)
        : threshold(o.stall_threshold)
        , on_stall(o.on_stall)
        , stack_signal(checked_stack_signal(o.stack_signal))
        , context(o.name)
    {
        if (threshold < std::chrono::nanoseconds::zero())
            throw std::invalid_argument("stall_threshold must be at least 0");
    }

    std::chrono::nanoseconds threshold;
    stall_callback on_stall;
    int stack_signal;
    std::string context;
};

// Something watched, and whom to tell of its stalls.
class stall_teller
{
public:
    stall_teller(watched const& what, stall_settings settings)
        : what_(what)
        , settings_(std::move(settings))
    {
    }

    stall_teller(stall_teller const&) = delete;
    stall_teller& operator=(stall_teller const&) = delete;

    watched const& what() const noexcept { return what_; }
    stall_settings const& settings() const noexcept { return settings_; }

    // A report must not end the program, nor be lost.
    void tell(stall_report const& report) const noexcept
    {
        try
        {
            if (settings_.on_stall)
                return settings_.on_stall(report);
        }
        catch (...)
        {
        }
        try
        {
            std::ostringstream line;
            line << "asio_ewyk: " << report << '\n';
            std::fputs(line.str().c_str(), stderr);
        }
        catch (...)
        {
        }
    }

private:
    watched const& what_;
    stall_settings const settings_;
};

} // namespace asio_ewyk::detail

#endif
