#ifndef ASIO_EWYK_DETAIL_STALL_STALL_REPORTER_HPP
#define ASIO_EWYK_DETAIL_STALL_STALL_REPORTER_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/stall_report.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace asio_ewyk::detail {

class inspectable;

// What a value of the environment variable ASIO_EWYK_STALLS says, as "100ms"; or nothing.
std::optional<std::chrono::nanoseconds> stall_threshold_from(std::string_view text) noexcept;

// What the options of a context say of stalls, and the environment, which counts more.
struct stall_settings
{
    // Throws std::invalid_argument.
    template <class Options>
    explicit stall_settings(Options const& o)
        : threshold(o.stall_threshold)
        , on_stall(o.on_stall)
        , stack_signal(o.stack_signal)
        , context(o.name)
    {
        check();
    }

    std::chrono::nanoseconds threshold;
    stall_callback on_stall;
    int stack_signal;
    std::string context;

private:
    void check();
};

// Something watched, and whom to tell of its stalls.
class stall_reporter
{
public:
    stall_reporter(inspectable const& what, stall_settings settings)
        : what_(what)
        , settings_(std::move(settings))
    {
    }

    stall_reporter(stall_reporter const&) = delete;
    stall_reporter& operator=(stall_reporter const&) = delete;

    inspectable const& what() const noexcept { return what_; }
    stall_settings const& settings() const noexcept { return settings_; }

    // Calls the callback. False if there is none, or it has thrown.
    bool tell(stall_report const& report) const noexcept;

private:
    inspectable const& what_;
    stall_settings const settings_;
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/stall/stall_reporter.ipp>
#endif

#endif
