// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_CPU_BINDING_HPP
#define ASIO_EWYK_DETAIL_OS_CPU_BINDING_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>

#include <boost/config.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#if defined(ASIO_EWYK_HAS_LINUX)
#include <sched.h>

#include <cerrno>
#include <cstring>
#else
#include <limits>
#include <thread>
#endif

namespace asio_ewyk::detail {

// A set of CPUs that a thread may use. read() and apply() return the system's error, 0 if there was
// none; of this thread, unless another one is given. On other systems than Linux they do nothing.
class cpu_mask
{
public:
#if defined(ASIO_EWYK_HAS_LINUX)
    static constexpr int end = CPU_SETSIZE; // the first CPU that there is no room for

    static cpu_mask only(int cpu) noexcept
    {
        cpu_mask one;
        CPU_ZERO(&one.set_);
        CPU_SET(static_cast<std::size_t>(cpu), &one.set_);
        return one;
    }

    static cpu_mask all() noexcept
    {
        cpu_mask any;
        std::memset(&any.set_, ~0, sizeof any.set_);
        return any;
    }

    int read(thread_id thread = 0) noexcept
    {
        return ::sched_getaffinity(thread, sizeof set_, &set_) == 0 ? 0 : errno;
    }

    int apply(thread_id thread = 0) const noexcept
    {
        return ::sched_setaffinity(thread, sizeof set_, &set_) == 0 ? 0 : errno;
    }

    bool has(int cpu) const noexcept { return CPU_ISSET(static_cast<std::size_t>(cpu), &set_); }
    int count() const noexcept { return CPU_COUNT(&set_); }

    friend bool operator==(cpu_mask const& a, cpu_mask const& b) noexcept
    {
        return CPU_EQUAL(&a.set_, &b.set_);
    }

private:
    cpu_set_t set_;
#else
    static constexpr int end = std::numeric_limits<int>::max();

    static cpu_mask only(int) noexcept { return {}; }
    static cpu_mask all() noexcept { return {}; }
    int read(thread_id = 0) noexcept { return 0; }
    int apply(thread_id = 0) const noexcept { return 0; }
    bool has(int) const noexcept { return false; }
    int count() const noexcept
    {
        unsigned const n = std::thread::hardware_concurrency();
        return n != 0 ? static_cast<int>(n) : 2;
    }
    friend bool operator==(cpu_mask const&, cpu_mask const&) noexcept = default;
#endif
};

// Which CPUs this thread was allowed before it was bound; null if it is not. Written by the thread
// itself only.
BOOST_SYMBOL_VISIBLE inline thread_local cpu_mask const* this_thread_unbound = nullptr;

// How many CPUs what this thread starts may use; 2 if that is not known.
inline int allowed_cpus() noexcept
{
    if (this_thread_unbound)
        return this_thread_unbound->count();
    cpu_mask allowed;
    return allowed.read() == 0 ? allowed.count() : 2;
}

// Throws if a thread cannot be bound to that CPU. The only way to find out is to try; so this
// thread is bound to it for a moment.
ASIO_EWYK_COLD inline void check_cpu(int cpu)
{
    std::string const option = "event_loop_options::cpus", number = std::to_string(cpu);
#if defined(ASIO_EWYK_HAS_LINUX)
    if (cpu < 0 || cpu >= cpu_mask::end)
        throw std::invalid_argument(option + " must be numbers from 0 to "
            + std::to_string(cpu_mask::end - 1) + ", not " + number);
    cpu_mask before;
    int error = before.read();
    if (!error)
    {
        error = cpu_mask::only(cpu).apply();
        before.apply();
    }
    if (error)
        throw std::system_error(error, std::system_category(), option + ": number " + number);
#else
    throw std::invalid_argument(option + " must be empty on this platform, not " + number);
#endif
}

// While it lives this thread is bound to that CPU; -1: to none.
class cpu_binding
{
public:
    explicit cpu_binding(int cpu) noexcept
    {
        // The CPU was checked; if it was switched off since, the thread runs unbound.
        if (cpu >= 0 && before_.read() == 0 && cpu_mask::only(cpu).apply() == 0)
            this_thread_unbound = &before_;
    }

    cpu_binding(cpu_binding const&) = delete;
    cpu_binding& operator=(cpu_binding const&) = delete;

    ~cpu_binding() { this_thread_unbound = nullptr; }

private:
    cpu_mask before_;
};

// While it lives, threads that this thread starts may use the CPUs that this one had before it was
// bound: they are not part of the loop whose handler starts them.
class unbound
{
public:
    unbound() noexcept
    {
        lifted_ = this_thread_unbound && bound_.read() == 0 && this_thread_unbound->apply() == 0;
    }

    unbound(unbound const&) = delete;
    unbound& operator=(unbound const&) = delete;

    ~unbound()
    {
        if (lifted_)
            bound_.apply();
    }

private:
    cpu_mask bound_;
    bool lifted_;
};

// The CPU that this thread can offer to those that it wakes, as no other thread wants it; -1: none.
BOOST_SYMBOL_VISIBLE inline thread_local int this_thread_spares = -1;

// While it lives this thread offers that CPU.
class cpu_offer
{
public:
    explicit cpu_offer(int cpu) noexcept { this_thread_spares = cpu < cpu_mask::end ? cpu : -1; }
    cpu_offer(cpu_offer const&) = delete;
    cpu_offer& operator=(cpu_offer const&) = delete;
    ~cpu_offer() { this_thread_spares = -1; }
};

// Has a thread that sleeps wake up on the CPU that its waker spares. Otherwise the system may put
// it where it ran before, behind another thread, and leave the free CPU idle for milliseconds.
// Two system calls by the waker, and three or four by the thread.
class wake_up_place
{
public:
    // By the waker, before it wakes that thread. No effect where the thread may not run there.
    void choose(thread_id thread) noexcept
    {
        int const cpu = this_thread_spares;
        if (cpu >= 0 && before_.read(thread) == 0 && before_.has(cpu)
            && cpu_mask::only(cpu).apply(thread) == 0)
            cpu_ = cpu;
    }

    // By the thread, when it has woken up. If it could use all CPUs of the process before, it can
    // use those as well that the process gets later.
    void leave() noexcept
    {
        int const cpu = std::exchange(cpu_, -1);
        cpu_mask now;
        // Another process may have chosen others for it meanwhile.
        if (cpu < 0 || now.read() != 0 || now != cpu_mask::only(cpu))
            return;
        cpu_mask::all().apply();
        if (now.read() == 0 && now != before_)
            before_.apply();
    }

private:
    cpu_mask before_;
    int cpu_ = -1;
};

} // namespace asio_ewyk::detail

#endif
