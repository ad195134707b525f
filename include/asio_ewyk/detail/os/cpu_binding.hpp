// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_CPU_BINDING_HPP
#define ASIO_EWYK_DETAIL_OS_CPU_BINDING_HPP

#include <asio_ewyk/detail/os/this_thread.hpp>

#include <boost/config.hpp>

#include <optional>
#include <stdexcept>

#if defined(__linux__)
#include <sched.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#else
#include <thread>
#endif

namespace asio_ewyk::detail {

#if defined(__linux__)

// Which CPUs this thread was allowed before it was bound; null if it is not. Written by the thread
// itself only.
BOOST_SYMBOL_VISIBLE inline thread_local cpu_set_t const* this_thread_unbound = nullptr;

// The first CPU that there is no room for in the system's set of CPUs.
inline constexpr int end_of_cpus = CPU_SETSIZE;

// Binds this thread to a CPU; returns the system's error, 0 if there was none.
inline int bind_this_thread(int cpu) noexcept
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(cpu), &one);
    return ::sched_setaffinity(0, sizeof one, &one) == 0 ? 0 : errno;
}

// Whether what this thread starts may use more than one CPU.
inline bool has_several_cpus() noexcept
{
    if (this_thread_unbound)
        return CPU_COUNT(this_thread_unbound) > 1;
    cpu_set_t allowed;
    return ::sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) > 1;
}

// Throws if a thread cannot be bound to that CPU. The only way to find out is to try; so this
// thread is bound to it for a moment.
inline void check_cpu(int cpu)
{
    if (cpu < 0 || cpu >= end_of_cpus)
        throw std::invalid_argument(
            "cpus must be numbers from 0 to " + std::to_string(end_of_cpus - 1));
    cpu_set_t before;
    int error = ::sched_getaffinity(0, sizeof before, &before) == 0 ? 0 : errno;
    if (!error)
    {
        error = bind_this_thread(cpu);
        ::sched_setaffinity(0, sizeof before, &before);
    }
    if (error)
        throw std::system_error(
            error, std::system_category(), "cpus: number " + std::to_string(cpu));
}

// While it lives this thread is bound to that CPU, if one is given.
class cpu_binding
{
public:
    explicit cpu_binding(std::optional<int> cpu) noexcept
    {
        if (!cpu || ::sched_getaffinity(0, sizeof before_, &before_) != 0)
            return;
        // It was checked; if the CPU was switched off since, the thread runs unbound.
        if (bind_this_thread(*cpu) == 0)
            this_thread_unbound = &before_;
    }

    cpu_binding(cpu_binding const&) = delete;
    cpu_binding& operator=(cpu_binding const&) = delete;

    ~cpu_binding() { this_thread_unbound = nullptr; }

private:
    cpu_set_t before_;
};

// While it lives, threads that this thread starts may use the CPUs that this one had before it was
// bound: they are not part of the loop whose handler starts them.
class unbound
{
public:
    unbound() noexcept
    {
        if (this_thread_unbound && ::sched_getaffinity(0, sizeof bound_, &bound_) == 0)
            lifted_ = ::sched_setaffinity(0, sizeof bound_, this_thread_unbound) == 0;
    }

    unbound(unbound const&) = delete;
    unbound& operator=(unbound const&) = delete;

    ~unbound()
    {
        if (lifted_)
            ::sched_setaffinity(0, sizeof bound_, &bound_);
    }

private:
    cpu_set_t bound_;
    bool lifted_ = false;
};

// The CPU that this thread can offer: a thread of the idle class runs only on a CPU that no other
// thread wants. -1: none.
BOOST_SYMBOL_VISIBLE inline thread_local int this_thread_spares = -1;

// Has a thread that sleeps wake up on the CPU that its waker spares. Otherwise the system may put
// it where it ran before, behind another thread, and leave the free CPU idle for milliseconds.
// Two system calls by the waker, and one by the thread.
class wake_up_place
{
public:
    // By the waker, before it wakes that thread. No effect where the thread may not run there.
    void choose(thread_id thread) noexcept
    {
        int const cpu = this_thread_spares;
        if (cpu < 0 || ::sched_getaffinity(thread, sizeof before_, &before_) != 0
            || !CPU_ISSET(static_cast<std::size_t>(cpu), &before_))
            return;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(cpu), &one);
        chosen_ = ::sched_setaffinity(thread, sizeof one, &one) == 0;
    }

    // By the thread, when it has woken up.
    void leave() noexcept
    {
        if (!std::exchange(chosen_, false)
            || ::sched_setaffinity(0, sizeof before_, &before_) == 0)
            return;
        // The process may use none of them any more: use those that it may.
        std::memset(&before_, ~0, sizeof before_);
        ::sched_setaffinity(0, sizeof before_, &before_);
    }

private:
    cpu_set_t before_;
    bool chosen_ = false;
};

#else

class wake_up_place
{
public:
    void choose(thread_id) noexcept {}
    void leave() noexcept {}
};

inline bool has_several_cpus() noexcept
{
    return std::thread::hardware_concurrency() != 1;
}

inline void check_cpu(int cpu)
{
    if (cpu < 0)
        throw std::invalid_argument("cpus must be numbers from 0");
}

class cpu_binding
{
public:
    explicit cpu_binding(std::optional<int>) noexcept {}
    ~cpu_binding() {}
    cpu_binding(cpu_binding const&) = delete;
    cpu_binding& operator=(cpu_binding const&) = delete;
};

class unbound
{
public:
    unbound() noexcept {}
    ~unbound() {}
    unbound(unbound const&) = delete;
    unbound& operator=(unbound const&) = delete;
};

#endif

} // namespace asio_ewyk::detail

#endif
