#ifndef ASIO_EWYK_DETAIL_OS_THIS_THREAD_HPP
#define ASIO_EWYK_DETAIL_OS_THIS_THREAD_HPP

#include <asio_ewyk/detail/config.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#define ASIO_EWYK_HAS_PTHREAD 1
#endif

namespace asio_ewyk::detail {

// Names this thread `<name><role>-<number>`, with what the system takes of the name. It needs no
// memory.
void name_this_thread(
    std::string_view name, std::size_t number, char const* role = "") noexcept;

// As the system has it; empty if it has none.
std::string name_of_this_thread();

using process_id = int;

// The child of a fork has another one than its parent.
inline process_id this_process_id() noexcept
{
#if defined(ASIO_EWYK_HAS_PTHREAD)
    return ::getpid();
#else
    return 0;
#endif
}

// The CPU on which this thread runs, or has run a moment ago; -1 if the system does not tell.
inline int this_cpu() noexcept
{
#if defined(__linux__)
    return ::sched_getcpu();
#else
    return -1;
#endif
}

// Names a thread of this process to sleeps().
using thread_id = int;

// As the system has it (Linux; 0 elsewhere); after a fork it is another one.
thread_id current_thread_id() noexcept;

// This thread's, without a system call each time.
class BOOST_SYMBOL_VISIBLE own_thread_id
{
public:
    static thread_id get() noexcept
    {
        if (mine_ == unknown) [[unlikely]]
            learn();
        return mine_ != unknown ? mine_ : current_thread_id();
    }

private:
    static constexpr thread_id unknown = 0;

    static void learn() noexcept;

    static inline thread_local thread_id mine_ = unknown;
};

inline thread_id this_thread_id() noexcept
{
    return own_thread_id::get();
}

// As the system has it; empty if it does not tell.
std::string thread_name(thread_id thread);

// Whether that thread waits for something. A thread of which the system tells nothing does, too.
bool sleeps(thread_id thread) noexcept;

// While it lives, threads that this thread starts begin with all signals blocked that may go to any
// thread, so that the program's handlers do not run there. What a thread does wrong itself is
// noticed there, too.
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

// What the thread blocks that makes this: for threads that run the program's handlers, whichever
// thread starts them.
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
    void apply() const noexcept {}
#endif
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/os/this_thread.ipp>
#endif

#endif
