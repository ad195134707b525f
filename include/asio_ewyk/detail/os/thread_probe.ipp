// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_THREAD_PROBE_IPP
#define ASIO_EWYK_DETAIL_OS_THREAD_PROBE_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/cpu_binding.hpp>
#include <asio_ewyk/detail/os/thread_clock.hpp>
#include <asio_ewyk/detail/os/thread_probe.hpp>

#include <utility>

#if defined(ASIO_EWYK_HAS_LINUX)
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#endif

namespace asio_ewyk::detail {

ASIO_EWYK_DECL ASIO_EWYK_COLD thread_probe::state thread_probe::of(
    [[maybe_unused]] thread_id thread) noexcept
{
#if defined(ASIO_EWYK_HAS_LINUX)
    int const error = errno;
    char text[192];
    ssize_t size = 0;
    if (thread == thread_ && file_ >= 0)
        size = ::pread(file_, text, sizeof text - 1, 0);
    // Of a thread that has ended nothing is told any more, though another one may have its number
    // by now.
    if (size <= 0)
    {
        close();
        char name[48];
        std::snprintf(name, sizeof name, "/proc/self/task/%d/syscall", thread);
        file_ = ::open(name, O_RDONLY | O_CLOEXEC);
        thread_ = thread;
        size = file_ < 0 ? 0 : ::pread(file_, text, sizeof text - 1, 0);
    }
    errno = error;
    if (size <= 0)
        return state::unknown;
    text[size] = '\0';
    if (text[0] == 'r')
        return state::runs;
    switch (std::strtol(text, nullptr, 10))
    {
#if defined(SYS_epoll_wait)
    case SYS_epoll_wait:
#endif
    case SYS_epoll_pwait:
#if defined(SYS_epoll_pwait2)
    case SYS_epoll_pwait2:
#endif
#if defined(SYS_io_uring_enter)
    case SYS_io_uring_enter:
#endif
#if defined(BOOST_ASIO_DISABLE_EPOLL) && defined(SYS_pselect6)
    case SYS_pselect6:
#endif
        return state::polls;
#if defined(SYS_futex)
    case SYS_futex:
        return state::locks;
#endif
    default: // -1: in no system call, as where a page is read
        return state::blocks;
    }
#elif defined(ASIO_EWYK_HAS_WINDOWS)
    // Wine has no cycles; there it is a time, in ticks.
    std::uint64_t const cycles = tell_of_thread(thread, [](HANDLE h) -> std::uint64_t {
        ULONG64 n = 0;
        if (::QueryThreadCycleTime(h, &n))
            return n;
        auto const used = cpu_time_by(h);
        return used ? static_cast<std::uint64_t>(used->count()) : 0;
    });
    bool const same = std::exchange(thread_, thread) == thread;
    return std::exchange(cycles_, cycles) < cycles && same ? state::runs : state::unknown;
#else
    return state::unknown;
#endif
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void thread_probe::close() noexcept
{
#if defined(ASIO_EWYK_HAS_LINUX)
    if (file_ >= 0)
        ::close(file_);
#endif
    file_ = -1;
}

#if defined(ASIO_EWYK_HAS_LINUX)
ASIO_EWYK_DECL ASIO_EWYK_COLD bool may_ask_for_class() noexcept
{
    char const* const text = std::getenv("ASIO_EWYK_SENTINEL");
    return !text || std::strcmp(text, "off") != 0;
}

ASIO_EWYK_DECL bool become_idle_class() noexcept
{
    sched_param const none{};
    return ::sched_setscheduler(0, SCHED_IDLE, &none) == 0;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void leave_idle_class(thread_id thread) noexcept
{
    sched_param const none{};
    cpu_mask::all().apply(thread);
    ::sched_setscheduler(thread, SCHED_OTHER, &none);
}
#else
ASIO_EWYK_DECL bool may_ask_for_class() noexcept { return false; }
ASIO_EWYK_DECL bool become_idle_class() noexcept { return false; }
ASIO_EWYK_DECL void leave_idle_class(thread_id) noexcept {}
#endif

} // namespace asio_ewyk::detail

#endif
