// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_STALL_MONITOR_IPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_STALL_MONITOR_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/diagnostics/stack_capture.hpp>
#include <asio_ewyk/detail/diagnostics/stall_monitor.hpp>
#include <asio_ewyk/detail/observe/registry_slot.hpp>
#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#if defined(__linux__) && __has_include(<linux/membarrier.h>)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#define ASIO_EWYK_DETAIL_HAS_MEMBARRIER 1
#endif

namespace asio_ewyk::detail {

// Has every running thread of the process pass a fence, where the system can do that.
inline void fence_other_threads() noexcept
{
#if defined(ASIO_EWYK_DETAIL_HAS_MEMBARRIER)
    int const error = errno;
    // Not a static constant: a fork in between would leave its guard locked in the child. Twice
    // does no harm.
    static std::atomic<bool> registered{false};
    if (!registered.load())
        registered.store(
            ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0) == 0);
    if (registered.load())
        ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
    errno = error;
#endif
}

ASIO_EWYK_DECL ASIO_EWYK_COLD stall_monitor& stall_monitor::instance() noexcept
{
    static stall_monitor& one = *new stall_monitor;
    return one;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD stall_monitor::stall_monitor()
{
    thread_activity::wake_by(&stall_monitor::wake);
    watchdog::instance(); // so that its mutexes are locked after this one before a fork
#if defined(ASIO_EWYK_HAS_PTHREAD)
    // Also for forks that notify_fork() does not announce. It fails only without memory; then these
    // do not work.
    ::pthread_atfork(&fork_prepare, &fork_parent, &fork_child);
#endif
}

#if defined(ASIO_EWYK_SEPARATE_COMPILATION)
ASIO_EWYK_DECL ASIO_EWYK_COLD stall_observer* linked_stall_observer() noexcept
{
    return &stall_monitor::instance();
}
#endif

ASIO_EWYK_DECL ASIO_EWYK_COLD std::optional<std::chrono::nanoseconds> stall_threshold_from(
    std::string_view text) noexcept
{
    std::size_t const digits = std::min(text.find_first_not_of("0123456789"), text.size());
    std::chrono::duration<double> count{};
    for (char const digit : text.substr(0, digits))
        count = count * 10 + std::chrono::seconds(digit - '0');
    std::string_view const unit = text.substr(digits);
    if (digits == 0 || digits > 19)
        return std::nullopt;
    if (unit == "s" || (unit.empty() && count.count() == 0))
        return saturated(count);
    if (unit == "ms")
        return saturated(count / 1e3);
    if (unit == "us")
        return saturated(count / 1e6);
    return std::nullopt;
}

// Read once: the environment may be changed while contexts are made.
ASIO_EWYK_DECL ASIO_EWYK_COLD std::chrono::nanoseconds stall_monitor::threshold(
    std::chrono::nanoseconds option) const noexcept
{
    static auto const found = []() -> std::optional<std::chrono::nanoseconds> {
        char const* const text = std::getenv("ASIO_EWYK_STALLS");
        auto const threshold = text ? stall_threshold_from(text) : std::nullopt;
        if (text && !threshold)
            std::fputs("asio_ewyk: ignored: ASIO_EWYK_STALLS is no time such as 100ms\n", stderr);
        return threshold;
    }();
    return found.value_or(option);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::join(int stack_signal) noexcept
{
    stack_capture::install(stack_signal);
    std::lock_guard const lock(mutex_);
    ++contexts_;
    update();
    watchdog::instance().wake(*this, false); // its threshold may be the least
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::leave() noexcept
{
    bool last = false;
    {
        std::lock_guard const lock(mutex_);
        last = --contexts_ == 0;
        update();
    }
    if (last)
        reporter_.await();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::notify_fork(
    boost::asio::execution_context::fork_event event) noexcept
{
    bool const before = event == boost::asio::execution_context::fork_prepare;
    {
        std::lock_guard const lock(mutex_);
        if (before)
            ++forks_;
        else if (forks_ != 0)
            --forks_;
        update();
    }
    if (before)
        reporter_.await();
}

// Under mutex_.
ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::update() noexcept
{
    bool const watches = contexts_ != 0 && forks_ == 0;
    if (std::exchange(watches_, watches) == watches)
        return;
    if (watches)
        watchdog::instance().add(*this);
    else
        watchdog::instance().remove(*this);
    thread_activity::ask(watches); // a look under way does not
}

// On a thread that begins a handler. It may hold a mutex that the program's own fork handlers wait
// for, in a fork under way that holds the watchdog's. So it only tries; the next handler that
// begins tries again.
ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::wake() noexcept
{
    stall_monitor& self = instance();
    time_point const now = std::chrono::steady_clock::now();
    if (now < self.retry_.load(std::memory_order_relaxed) || !thread_activity::answer())
        return;
    auto const woken = watchdog::instance().try_wake(self);
    if (woken == watchdog::answer::yes)
        return;
    if (woken == watchdog::answer::refused)
        self.retry_.store(after(pause, now), std::memory_order_relaxed);
    thread_activity::ask(true);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD time_point stall_monitor::look(time_point now) noexcept
{
    bool const asked = thread_activity::asked();
    auto const seen = looks_.look(now, reporter_);
    auto const step = pace_.after_look(now, seen.changed, asked, seen.due, seen.threshold);
    if (step.ask != asked)
        thread_activity::ask(step.ask);
    if (step.ask && !asked)
        fence_other_threads();
    return reporter_.start() ? step.next : std::min(step.next, after(pause, now));
}

// The child has neither the watchdog nor other threads. It keeps what it inherits: contexts that it
// uses, or will destroy.
ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::fork_child() noexcept
{
    stall_monitor& self = instance();
    thread_activity::forget_others();
    registry_slot::forget_others();
    stack_capture::forget_others();
    self.reporter_.forget_thread();
    self.forks_ = 0;
    watchdog::forget_wake(self);
    self.update();
    thread_activity::ask(self.watches_);
    self.mutex_.unlock();
}

} // namespace asio_ewyk::detail

#endif
