// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Stands for the system call of futex_parker.hpp.

#ifndef ASIO_EWYK_TEST_WEAK_MEMORY_CHECKED_FUTEX_HPP
#define ASIO_EWYK_TEST_WEAK_MEMORY_CHECKED_FUTEX_HPP

#include "checked_std.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>

namespace weak_memory {

/// Whether a sleep until a deadline takes long, see let_time_pass(). False: the deadline may have come
/// already, which is how all but a nap must work.
inline bool naps_take_time = false;

}

// Not checked itself, as the object may be gone when it is to be woken; its number stays known.
[[gnu::no_sanitize("thread")]] inline long checked_futex(long, checked::atomic<std::uint32_t>* word,
    int operation, std::uint32_t value, std::timespec const* deadline, std::nullptr_t, std::uint32_t)
{
    auto const number = *reinterpret_cast<weak_memory::object const*>(word);
    if (operation == FUTEX_WAKE_PRIVATE)
    {
        weak_memory::wake(number, value);
        return 0;
    }
    if (weak_memory::sleep(number, value, deadline != nullptr))
        return 0;
    if (weak_memory::naps_take_time)
        weak_memory::let_time_pass();
    errno = ETIMEDOUT;
    return -1;
}

#endif
