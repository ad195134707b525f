// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_SCHEDULING_HPP
#define ASIO_EWYK_DETAIL_OS_SCHEDULING_HPP

#include <asio_ewyk/detail/os/cpu_binding.hpp>

#if defined(ASIO_EWYK_HAS_LINUX)
#include <sched.h>
#include <sys/resource.h>
#endif

namespace asio_ewyk::detail {

// Priority, scheduling class and CPUs of the thread that makes this: for threads that run the
// program's handlers, no matter which thread starts them. On Linux. Without the right to a higher
// priority they have that of the thread that starts them, if it is lower.
class scheduling
{
#if defined(ASIO_EWYK_HAS_LINUX)
public:
    scheduling() noexcept
        : class_(::sched_getscheduler(0))
        , nice_(::getpriority(PRIO_PROCESS, 0))
    {
        ::sched_getparam(0, &priority_);
        if (this_thread_unbound)
            cpus_ = *this_thread_unbound;
        else
            cpus_.read();
    }

    // Such a thread sets only what differs: a CPU that the system adds to those of the process
    // later is for threads that have not chosen theirs.
    void apply() const noexcept
    {
        if (class_ != ::sched_getscheduler(0))
            ::sched_setscheduler(0, class_, &priority_);
        if (nice_ != ::getpriority(PRIO_PROCESS, 0))
            ::setpriority(PRIO_PROCESS, 0, nice_);
        cpu_mask now;
        if (now.read() == 0 && now != cpus_)
            cpus_.apply();
    }

private:
    int class_;
    int nice_;
    sched_param priority_{};
    cpu_mask cpus_{};
#else
public:
    scheduling() noexcept {}
    void apply() const noexcept {}
#endif
};

// For a thread of the library that serves all threads of the process, no matter which one has
// started it: it becomes one of normal class if it was of a lower one, and of the priority and the
// CPUs of the process's first thread if those are more. The thread asks only for what differs.
// False if the system refuses.
inline bool become_normal() noexcept
{
#if defined(ASIO_EWYK_HAS_LINUX)
    process_id const first = this_process_id();
    sched_param const none{};
    int const scheduler = ::sched_getscheduler(0);
    bool const is_lower = scheduler == SCHED_IDLE || scheduler == SCHED_BATCH;
    bool done = !is_lower || ::sched_setscheduler(0, SCHED_OTHER, &none) == 0;
    int const nice = ::getpriority(PRIO_PROCESS, static_cast<id_t>(first));
    if (nice < ::getpriority(PRIO_PROCESS, 0))
        done = ::setpriority(PRIO_PROCESS, 0, nice) == 0 && done;
    cpu_mask now;
    cpu_mask all;
    if (now.read() == 0 && all.read(first) == 0 && all.count() > now.count())
        done = all.apply() == 0 && done;
    return done;
#else
    return true;
#endif
}

} // namespace asio_ewyk::detail

#endif
