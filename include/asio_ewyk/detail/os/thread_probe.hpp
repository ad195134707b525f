// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_THREAD_PROBE_HPP
#define ASIO_EWYK_DETAIL_OS_THREAD_PROBE_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>

#include <cstdint>

namespace asio_ewyk::detail {

// What the system knows of another thread of this process. Linux tells whether it sleeps, and in
// which system call (proc_pid_syscall(5)): so a thread that waits inside its io_context can be told
// from one whose handler blocks, without any mark in the program. Windows tells only whether it has
// run since it was asked last. Belongs to one thread.
class thread_probe
{
public:
    enum class state
    {
        unknown, // the system does not tell
        runs,    // or waits for a CPU
        polls,   // sleeps in the system call in which an io_context waits for I/O
        locks,   // sleeps on a mutex, a condition, or another futex
        blocks,  // sleeps elsewhere
    };

    thread_probe() noexcept = default;
    thread_probe(thread_probe const&) = delete;
    thread_probe& operator=(thread_probe const&) = delete;
    ~thread_probe() { close(); }

    // Whether it tells what the thread does now, however often it is asked.
#if defined(ASIO_EWYK_HAS_LINUX)
    static constexpr bool tells_now = true;
#else
    static constexpr bool tells_now = false;
#endif

    // Takes some microseconds; more for another thread than the last time.
    state of(thread_id thread) noexcept;

    // Keeps no descriptor until it is asked again.
    void close() noexcept;

private:
    [[maybe_unused]] thread_id thread_ = 0;
    int file_ = -1;
    [[maybe_unused]] std::uint64_t cycles_ = 0; // that it had run, on Windows
};

// Whether there is a scheduling class of threads that get a CPU only if no other thread wants it.
#if defined(ASIO_EWYK_HAS_LINUX)
inline constexpr bool has_idle_class = true;
#else
inline constexpr bool has_idle_class = false;
#endif

// Whether the environment lets the library ask for a scheduling class and for CPUs: some systems
// end a process that asks. On a thread of the program, which knows when the environment changes.
bool may_ask_for_class() noexcept;

// From now on this thread is of that class. False if the system refuses.
bool become_idle_class() noexcept;

// That thread may use all CPUs, and is of the normal class, where the system allows that.
void leave_idle_class(thread_id thread) noexcept;

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/os/thread_probe.ipp>
#endif

#endif
