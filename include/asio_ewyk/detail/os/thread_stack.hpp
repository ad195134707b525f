// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_THREAD_STACK_HPP
#define ASIO_EWYK_DETAIL_OS_THREAD_STACK_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/windows.hpp>

#include <cstddef>
#include <cstdint>

#if defined(ASIO_EWYK_HAS_PTHREAD)
#include <pthread.h>
#endif
#if defined(__linux__)
#include <algorithm>
#include <sys/auxv.h>
#include <sys/resource.h>
#endif

namespace asio_ewyk::detail {

// Where the stack is that a thread began with: a stackful coroutine has another one.
class thread_stack
{
public:
    // This thread's. If the system does not tell, nothing is known to be there.
    static thread_stack mine() noexcept
    {
        thread_stack s;
#if defined(__linux__) // also with ASIO_EWYK_PORTABLE: each system has its own function
        pthread_attr_t attributes;
        if (::pthread_getattr_np(::pthread_self(), &attributes) == 0)
        {
            void* lowest = nullptr;
            std::size_t size = 0;
            if (::pthread_attr_getstack(&attributes, &lowest, &size) == 0)
            {
                s.lowest_ = reinterpret_cast<std::uintptr_t>(lowest);
                s.size_ = size;
            }
            ::pthread_attr_destroy(&attributes);
        }
        else
            s = of_the_first_thread();
#elif defined(__APPLE__)
        auto const end = reinterpret_cast<std::uintptr_t>(
            ::pthread_get_stackaddr_np(::pthread_self()));
        s.size_ = ::pthread_get_stacksize_np(::pthread_self());
        s.lowest_ = end - s.size_;
#elif defined(ASIO_EWYK_HAS_WINDOWS)
        ULONG_PTR lowest = 0;
        ULONG_PTR end = 0;
        ::GetCurrentThreadStackLimits(&lowest, &end);
        s.lowest_ = lowest;
        s.size_ = end - lowest;
#endif
        return s;
    }

    // As mine(), found out once for each thread.
    static thread_stack const& of_this_thread() noexcept
    {
        static thread_local thread_stack const one = mine();
        return one;
    }

    bool holds(void const* p) const noexcept
    {
        return reinterpret_cast<std::uintptr_t>(p) - lowest_ < size_;
    }

private:
#if defined(__linux__)
    // For that thread the C library reads a file of /proc, which may not be there. What the kernel
    // gives a program to begin with lies above this stack, and nothing else is mapped as far below
    // as the limit reaches. The limit may have been raised since, so at most the usual one counts.
    static thread_stack of_the_first_thread() noexcept
    {
        constexpr ::rlim_t usual = 8 << 20;
        thread_stack s;
        ::rlimit limit{};
        std::uintptr_t const end = ::getauxval(AT_RANDOM);
        if (end != 0 && ::getrlimit(RLIMIT_STACK, &limit) == 0)
        {
            s.size_ = static_cast<std::uintptr_t>(std::min(limit.rlim_cur, usual));
            s.lowest_ = end - s.size_;
        }
        return s;
    }
#endif

    std::uintptr_t lowest_ = 0;
    std::uintptr_t size_ = 0;
};

} // namespace asio_ewyk::detail

#endif
