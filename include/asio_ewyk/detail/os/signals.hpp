// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_SIGNALS_HPP
#define ASIO_EWYK_DETAIL_OS_SIGNALS_HPP

#include <asio_ewyk/detail/config.hpp>

#if defined(ASIO_EWYK_HAS_PTHREAD)
#include <signal.h>

#include <initializer_list>
#endif
#if defined(ASIO_EWYK_HAS_LINUX) && __has_include(<execinfo.h>)
#define ASIO_EWYK_DETAIL_CAPTURES_STACKS // by a signal
#endif

namespace asio_ewyk::detail {

// While it lives, threads that this thread starts begin with all signals blocked that may go to any
// thread, so that the program's handlers do not run there. Signals for a thread's own faults stay
// open.
class block_signals
{
public:
#if defined(ASIO_EWYK_HAS_PTHREAD)
    block_signals() noexcept
    {
        sigset_t most;
        ::sigfillset(&most);
        for (int const s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT})
            ::sigdelset(&most, s);
        ::pthread_sigmask(SIG_SETMASK, &most, &before_);
    }

    ~block_signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_;
#else
    block_signals() noexcept {}
    ~block_signals() {}
#endif

public:
    block_signals(block_signals const&) = delete;
    block_signals& operator=(block_signals const&) = delete;
};

// The signal mask of the thread that makes this: for threads that run the program's handlers, no
// matter which thread starts them.
class signal_mask
{
#if defined(ASIO_EWYK_HAS_PTHREAD)
public:
    signal_mask() noexcept { ::pthread_sigmask(SIG_SETMASK, nullptr, &mask_); }

    // By such a thread.
    void apply() const noexcept { ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr); }

private:
    sigset_t mask_;
#else
public:
    signal_mask() noexcept {}
    void apply() const noexcept {}
#endif
};

// Whether the program may give that signal away.
inline bool is_real_time_signal([[maybe_unused]] int signal) noexcept
{
#if defined(ASIO_EWYK_HAS_LINUX)
    return signal >= SIGRTMIN && signal <= SIGRTMAX;
#else
    return false;
#endif
}

// For threads of the library, also if the creator of the context blocks it.
inline void unblock_signal([[maybe_unused]] int signal) noexcept
{
#if defined(ASIO_EWYK_HAS_LINUX)
    if (signal == 0)
        return;
    sigset_t one;
    ::sigemptyset(&one);
    ::sigaddset(&one, signal);
    ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
#endif
}

} // namespace asio_ewyk::detail

#endif
