// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_THIS_THREAD_HPP
#define ASIO_EWYK_DETAIL_OS_THIS_THREAD_HPP

#include <asio_ewyk/detail/config.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#if defined(ASIO_EWYK_HAS_LINUX)
#include <sched.h>
#if defined(__GLIBC__) && __has_include(<sys/rseq.h>) && __has_builtin(__builtin_thread_pointer)
#define ASIO_EWYK_DETAIL_RSEQ
#include <sys/rseq.h>
#endif
#endif
#if defined(ASIO_EWYK_HAS_PTHREAD)
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#endif

namespace asio_ewyk::detail {

// Names this thread `<name><role>-<number>`, with what the system takes of the name. Allocates
// nothing.
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
#if defined(ASIO_EWYK_DETAIL_RSEQ)
    // What sched_getcpu() does, without the call: the kernel keeps it there, if that is registered.
    if (__rseq_size != 0) [[likely]]
    {
        auto const* const area = reinterpret_cast<struct ::rseq const*>(
            static_cast<char const*>(__builtin_thread_pointer()) + __rseq_offset);
        int const cpu = static_cast<int>(__atomic_load_n(&area->cpu_id, __ATOMIC_RELAXED));
        if (cpu >= 0) [[likely]]
            return cpu;
    }
#endif
#if defined(ASIO_EWYK_HAS_LINUX)
    return ::sched_getcpu();
#else
    return -1;
#endif
}

// Names a thread of this process to sleeps().
using thread_id = int;

// As the system has it (Linux, Windows; 0 elsewhere); after a fork it is another one.
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

// The beginning of such a file of the system about that thread, as text that ends with '\0'; its
// length, 0 if there is none. Leaves errno alone.
std::size_t read_of_thread(
    thread_id thread, char const* file, char* text, std::size_t room) noexcept;

// As the system has it; empty if it does not tell.
std::string thread_name(thread_id thread);

// Whether that thread waits for something; true if the system does not tell.
bool sleeps(thread_id thread) noexcept;

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/os/this_thread.ipp>
#endif

#endif
