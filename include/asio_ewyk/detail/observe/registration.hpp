// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OBSERVE_REGISTRATION_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_REGISTRATION_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/observe/inspectable.hpp>
#include <asio_ewyk/detail/observe/registry_slot.hpp>
#include <asio_ewyk/detail/os/home_process.hpp>

#include <boost/asio/execution_context.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

namespace asio_ewyk {

struct event_loop_options;
struct stall_report;

} // namespace asio_ewyk

namespace asio_ewyk::detail {

// What the options of a context say of stalls, and the environment, which counts more.
struct stall_settings
{
    // Throws std::invalid_argument, and std::logic_error if the program has nothing that reports.
    template <class Options>
    explicit stall_settings(Options const& o)
        : threshold(o.stall_threshold)
        , on_stall(o.on_stall)
        , stack_signal(o.stack_signal)
        , context(o.name)
    {
        check(std::is_same_v<Options, event_loop_options>);
    }

    std::chrono::nanoseconds threshold;
    std::function<void(stall_report const&)> on_stall;
    int stack_signal;
    std::string context;

private:
    void check(bool of_loop);
};

// How many reports of one context there may be in a second. For the stall_monitor's thread only.
class stall_limit
{
public:
    static constexpr std::size_t most = 10;

    bool allows(std::chrono::steady_clock::time_point now) noexcept
    {
        if (n_ == 0 || now - began_ >= std::chrono::seconds(1))
        {
            began_ = now;
            n_ = 0;
        }
        bool const allowed = n_ != most;
        ++(allowed ? n_ : suppressed_);
        return allowed;
    }

    // How many were not allowed since this was asked last.
    std::size_t take_suppressed() noexcept { return std::exchange(suppressed_, 0); }

private:
    std::chrono::steady_clock::time_point began_{}; // of this second
    std::size_t n_ = 0;                             // in it
    std::size_t suppressed_ = 0;
};

// While it lives, something is there to be inspected: by dump(), and by the stall_observer unless
// the threshold is 0. The last member of what it shows, so that it goes first.
class registration
{
public:
    // `owner`: as in thread_activity. Throws std::bad_alloc.
    registration(void const* owner, inspectable const& what, stall_settings settings);
    registration(registration const&) = delete;
    registration& operator=(registration const&) = delete;

    // Waits for a callback that is under way.
    ~registration();

    generation_handle const& there() const noexcept { return there_; }

    // As long as the slot shows it; any thread.
    void const* owner() const noexcept { return owner_; }
    inspectable const& what() const noexcept { return what_; }
    stall_settings const& settings() const noexcept { return settings_; }
    bool reports() const noexcept
    {
        return settings_.threshold != std::chrono::nanoseconds::zero();
    }

    stall_limit mutable limit;

    // Passes a fork on to the records of threads and slots, and to the stall_observer.
    static void notify_fork(boost::asio::execution_context::fork_event event) noexcept;

private:
    void const* const owner_;
    inspectable const& what_;
    stall_settings const settings_;
    home_process const home_;
    registry_slot& slot_;
    generation_handle const there_;
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/observe/registration.ipp>
#endif

#endif
