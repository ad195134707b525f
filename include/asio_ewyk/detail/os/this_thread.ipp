// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_THIS_THREAD_IPP
#define ASIO_EWYK_DETAIL_OS_THIS_THREAD_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/os/windows.hpp>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#if defined(ASIO_EWYK_HAS_LINUX)
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#endif

namespace asio_ewyk::detail {

ASIO_EWYK_DECL ASIO_EWYK_COLD void name_this_thread(
    [[maybe_unused]] std::string_view name, [[maybe_unused]] std::size_t number,
    [[maybe_unused]] char const* role) noexcept
{
#if defined(ASIO_EWYK_HAS_LINUX)
    char text[16] = "";
    char tail[32];
    std::snprintf(tail, sizeof tail, "%.8s-%zu", role, number);
    tail[sizeof text - 1] = '\0';
    std::size_t const rest = sizeof text - 1 - std::strlen(tail);
    std::strcpy(text + name.copy(text, rest), tail);
    ::pthread_setname_np(::pthread_self(), text);
#endif
}

ASIO_EWYK_DECL ASIO_EWYK_COLD std::string name_of_this_thread()
{
    char name[16] = "";
#if defined(ASIO_EWYK_HAS_LINUX)
    if (::pthread_getname_np(::pthread_self(), name, sizeof name) != 0)
        name[0] = '\0';
#endif
    return name;
}

// Cached only if the child of any fork, announced or not, is sure to forget it.
ASIO_EWYK_DECL ASIO_EWYK_COLD void own_thread_id::learn() noexcept
{
#if defined(ASIO_EWYK_HAS_LINUX)
    // Not a static constant: a fork in between would leave its guard locked in the child. Twice
    // does no harm.
    static std::atomic<bool> registered{false};
    if (!registered.load())
        registered.store(::pthread_atfork(nullptr, nullptr, [] { mine_ = unknown; }) == 0);
    if (registered.load())
        mine_ = current_thread_id();
#endif
}

ASIO_EWYK_DECL thread_id current_thread_id() noexcept
{
#if defined(ASIO_EWYK_HAS_LINUX)
    return static_cast<thread_id>(::syscall(SYS_gettid));
#elif defined(ASIO_EWYK_HAS_WINDOWS)
    return static_cast<thread_id>(::GetCurrentThreadId());
#else
    return 0;
#endif
}

ASIO_EWYK_DECL ASIO_EWYK_COLD std::size_t read_of_thread([[maybe_unused]] thread_id thread,
    [[maybe_unused]] char const* file, char* text, [[maybe_unused]] std::size_t room) noexcept
{
    std::size_t size = 0;
#if defined(ASIO_EWYK_HAS_LINUX)
    int const error = errno;
    char name[64];
    std::snprintf(name, sizeof name, "/proc/self/task/%d/%s", thread, file);
    if (int const opened = ::open(name, O_RDONLY | O_CLOEXEC); opened >= 0)
    {
        ssize_t const n = ::read(opened, text, room - 1);
        size = n > 0 ? static_cast<std::size_t>(n) : 0;
        ::close(opened);
    }
    errno = error;
#endif
    text[size] = '\0';
    return size;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD std::string thread_name(thread_id thread)
{
    char text[64];
    std::size_t const size = read_of_thread(thread, "comm", text, sizeof text);
    return std::string(text, size == 0 ? 0 : size - 1); // without the end of the line
}

ASIO_EWYK_DECL ASIO_EWYK_COLD bool sleeps(thread_id thread) noexcept
{
    // "<id> (<name>) <state> ...", where the name may contain anything.
    char text[256];
    read_of_thread(thread, "stat", text, sizeof text);
    char const* const end = std::strrchr(text, ')');
    return end == nullptr || end[1] == '\0' || end[2] != 'R';
}

} // namespace asio_ewyk::detail

#endif
