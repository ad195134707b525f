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
    errno = ETIMEDOUT;
    return -1;
}

#endif
