// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_THIS_THREAD_IPP
#define ASIO_EWYK_DETAIL_OS_THIS_THREAD_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#endif

namespace asio_ewyk::detail {

ASIO_EWYK_DECL void name_this_thread(
    [[maybe_unused]] std::string_view name, [[maybe_unused]] std::size_t number,
    [[maybe_unused]] char const* role) noexcept
{
#if defined(__linux__)
    constexpr std::size_t longest = 15;
    char tail[32];
    std::snprintf(tail, sizeof tail, "%.8s-%zu", role, number);
    std::size_t const tail_size = std::min(longest, std::strlen(tail));
    char text[longest + 1] = "";
    char* const end = std::copy_n(name.data(), std::min(name.size(), longest - tail_size), text);
    std::copy_n(tail, tail_size, end);
    ::pthread_setname_np(::pthread_self(), text);
#endif
}

ASIO_EWYK_DECL std::string name_of_this_thread()
{
    char name[16] = "";
#if defined(__linux__)
    if (::pthread_getname_np(::pthread_self(), name, sizeof name) != 0)
        name[0] = '\0';
#endif
    return name;
}

#if defined(__linux__)

// Cached only if the child of any fork, announced or not, is sure to forget it.
ASIO_EWYK_DECL void own_thread_id::learn() noexcept
{
    // Not a static constant: a fork in between would leave its guard locked in the child. Twice
    // does no harm.
    static std::atomic<bool> registered{false};
    if (!registered.load())
        registered.store(::pthread_atfork(nullptr, nullptr, [] { mine_ = unknown; }) == 0);
    if (registered.load())
        mine_ = current_thread_id();
}

ASIO_EWYK_DECL thread_id current_thread_id() noexcept
{
    return static_cast<thread_id>(::syscall(SYS_gettid));
}

ASIO_EWYK_DECL std::string thread_name(thread_id thread)
{
    char text[64];
    std::snprintf(text, sizeof text, "/proc/self/task/%d/comm", thread);
    int const file = ::open(text, O_RDONLY | O_CLOEXEC);
    ssize_t const size = file < 0 ? 0 : ::read(file, text, sizeof text);
    if (file >= 0)
        ::close(file);
    std::string name(text, size > 0 ? static_cast<std::size_t>(size) : 0);
    if (name.ends_with('\n'))
        name.pop_back();
    return name;
}

ASIO_EWYK_DECL bool sleeps(thread_id thread) noexcept
{
    char text[256];
    int const error = errno;
    std::snprintf(text, sizeof text, "/proc/self/task/%d/stat", thread);
    int const file = ::open(text, O_RDONLY | O_CLOEXEC);
    ssize_t const size = file < 0 ? 0 : ::read(file, text, sizeof text - 1);
    if (file >= 0)
        ::close(file);
    errno = error;
    // "<id> (<name>) <state> ...", where the name may contain anything.
    text[size > 0 ? size : 0] = '\0';
    char const* const end = std::strrchr(text, ')');
    return end == nullptr || end[1] == '\0' || end[2] != 'R';
}

#else

ASIO_EWYK_DECL void own_thread_id::learn() noexcept
{
}

ASIO_EWYK_DECL thread_id current_thread_id() noexcept
{
    return 0;
}

ASIO_EWYK_DECL std::string thread_name(thread_id)
{
    return {};
}

ASIO_EWYK_DECL bool sleeps(thread_id) noexcept
{
    return true;
}

#endif

} // namespace asio_ewyk::detail

#endif
