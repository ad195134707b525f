// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// How much memory and how many threads and descriptors this process has, for tests that show that it
// does not grow.

#ifndef ASIO_EWYK_TEST_UNIT_MEMORY_SUPPORT_HPP
#define ASIO_EWYK_TEST_UNIT_MEMORY_SUPPORT_HPP

#include <cstddef> // also for the library's own macros

#if defined(__linux__) && defined(__GLIBC__)
#define ASIO_EWYK_TEST_HAS_FIGURES

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define ASIO_EWYK_TEST_SANITIZED
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define ASIO_EWYK_TEST_SANITIZED
#endif
#endif

#include <filesystem>
#include <iterator>

#ifdef ASIO_EWYK_TEST_SANITIZED
// Of sanitizer/allocator_interface.h, which g++ does not have.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#else
#include <malloc.h>
#endif

namespace support {

/// Bytes that are allocated and not freed.
inline std::size_t allocated_bytes()
{
#ifdef ASIO_EWYK_TEST_SANITIZED
    return __sanitizer_get_current_allocated_bytes();
#else
    auto const info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
#endif
}

inline std::size_t entries(char const* directory)
{
    namespace fs = std::filesystem;
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

inline std::size_t threads_of_process() { return entries("/proc/self/task"); }

/// One of them is used for counting.
inline std::size_t open_descriptors() { return entries("/proc/self/fd"); }

}

#endif
#endif
