// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OBSERVE_REGISTRATION_IPP
#define ASIO_EWYK_DETAIL_OBSERVE_REGISTRATION_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/observe/registration.hpp>
#include <asio_ewyk/detail/observe/registry_slot.hpp>
#include <asio_ewyk/detail/observe/stall_observer.hpp>
#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/detail/os/signals.hpp>
#include <asio_ewyk/detail/utility/checked_option.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace asio_ewyk::detail {

// The environment asks for stall reports, which this program does not have. Said once.
inline void say_that_nothing_reports() noexcept
{
    static std::atomic<bool> said{false};
    if (std::getenv("ASIO_EWYK_STALLS") && !said.exchange(true))
        std::fputs("asio_ewyk: ignored: ASIO_EWYK_STALLS, without"
                   " <asio_ewyk/diagnostics/stalls.hpp>\n",
            stderr);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_settings::check(bool of_loop)
{
    check_option(stack_signal == 0 || is_real_time_signal(stack_signal),
        of_loop ? "event_loop_options::stack_signal" : "worker_pool_options::stack_signal",
        "0 or, on Linux, from SIGRTMIN to SIGRTMAX", stack_signal);
    check_option(threshold >= threshold.zero(),
        of_loop ? "event_loop_options::stall_threshold" : "worker_pool_options::stall_threshold",
        "at least 0", threshold);
    if (stall_observer const* const observer = linked_stall_observer())
        threshold = observer->threshold(threshold);
    else if (threshold != std::chrono::nanoseconds::zero())
        throw std::logic_error(
            "stall_threshold: include <asio_ewyk/diagnostics/stalls.hpp> in one source");
    else
        say_that_nothing_reports();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD registration::registration(
    void const* owner, inspectable const& what, stall_settings settings)
    : owner_(owner)
    , what_(what)
    , settings_(std::move(settings))
    , slot_(registry_slot::occupy(*this))
    , there_(slot_)
{
    if (reports())
        linked_stall_observer()->join(settings_.stack_signal);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD registration::~registration()
{
    if (!home_.is_here())
        registry_slot::forget_others();
    slot_.vacate();
    if (reports())
        linked_stall_observer()->leave();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void registration::notify_fork(
    boost::asio::execution_context::fork_event event) noexcept
{
    if (event == boost::asio::execution_context::fork_child && registry_slot::forget_others())
        thread_activity::forget_others();
    if (stall_observer* const observer = linked_stall_observer())
        observer->notify_fork(event);
}

} // namespace asio_ewyk::detail

#endif
