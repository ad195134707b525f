// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_WAIT_HOOK_HPP
#define ASIO_EWYK_DETAIL_OS_WAIT_HOOK_HPP

#include <asio_ewyk/detail/config.hpp>

#include <boost/config.hpp>

#include <utility>

#if defined(ASIO_EWYK_DETAIL_WAIT_HOOK)
#include <dlfcn.h>
#include <sys/epoll.h>

#include <cerrno>
#endif

namespace asio_ewyk::detail {

// Is told when its thread waits for I/O, and when no more: the program's own epoll_wait(), below,
// does that. Asio calls that function by its name, and runs handlers at all other times.
class BOOST_SYMBOL_VISIBLE wait_observer
{
public:
    wait_observer(wait_observer const&) = delete;
    wait_observer& operator=(wait_observer const&) = delete;

    // Before and after the system is asked, for that file of the system. `waits`: if nothing is
    // ready, the thread sleeps. An exception, or the end of the thread, may come instead of the
    // second one.
    virtual void begin(int file, bool waits) noexcept = 0;
    virtual void end(int file, bool waits) noexcept = 0;

    static wait_observer* of_this_thread() noexcept { return top_; }

protected:
    // Observes its thread until it is destroyed. They nest.
    wait_observer() noexcept
        : outer_(std::exchange(top_, this))
    {
    }

    ~wait_observer() { top_ = outer_; }

private:
    wait_observer* const outer_;

    static inline thread_local wait_observer* top_ = nullptr;
};

} // namespace asio_ewyk::detail

#if defined(ASIO_EWYK_DETAIL_WAIT_HOOK)

// Weak: without it a program need not be linked with a library that has it.
static void* asio_ewyk_detail_dlsym(void*, char const*) __attribute__((weakref("dlsym")));
#if defined(ASIO_EWYK_DETAIL_TSAN)
extern "C" int __interceptor_epoll_wait(int, epoll_event*, int, int) __attribute__((weak));
#endif

namespace asio_ewyk::detail {

// The definition that the process would have without the one below: of the C library, or of
// another one that has put its own before that. A function, and no system call: a thread that is
// cancelled ends in it. Null in a static program.
using wait_function = int (*)(int, epoll_event*, int, int);
inline wait_function next_epoll_wait() noexcept
{
#if defined(ASIO_EWYK_DETAIL_TSAN)
    if (&__interceptor_epoll_wait)
        return &__interceptor_epoll_wait;
#endif
    if (!&asio_ewyk_detail_dlsym)
        return nullptr;
    return reinterpret_cast<wait_function>(asio_ewyk_detail_dlsym(RTLD_NEXT, "epoll_wait"));
}

} // namespace asio_ewyk::detail

// Weak: a definition among the program's objects takes its place, and waits are not observed then.
// Another weak one may take it, too, as that of clang's ThreadSanitizer: so one source of a program
// may have a strong one. Hidden: other libraries of the process keep the function that they had.
#if defined(ASIO_EWYK_STRONG_WAIT_HOOK)
#define ASIO_EWYK_DETAIL_WAIT_HOOK_LINKAGE visibility("hidden")
#else
#define ASIO_EWYK_DETAIL_WAIT_HOOK_LINKAGE weak, visibility("hidden")
#endif
extern "C" __attribute__((ASIO_EWYK_DETAIL_WAIT_HOOK_LINKAGE)) int epoll_wait(
    int file, epoll_event* events, int most, int timeout)
{
    static auto const next = asio_ewyk::detail::next_epoll_wait();
    auto const wait = [=] {
        return next ? next(file, events, most, timeout)
                    : ::epoll_pwait(file, events, most, timeout, nullptr);
    };
    auto* const observer = asio_ewyk::detail::wait_observer::of_this_thread();
    if (!observer)
        return wait();
    observer->begin(file, timeout != 0);
    int const n = wait();
    int const error = errno;
    observer->end(file, timeout != 0);
    errno = error;
    return n;
}
#endif

#endif
