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

    // By such a thread. It sets only what differs: a CPU that the system adds to those of the
    // process later is for threads that have not chosen theirs.
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

} // namespace asio_ewyk::detail

#endif
