// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_PARKER_HPP
#define ASIO_EWYK_DETAIL_OS_PARKER_HPP

#include <asio_ewyk/detail/config.hpp>

// ThreadSanitizer holds back the signals of a thread that sleeps in a system call of its own, for
// as long as it sleeps: a program that waits for SIGTERM could not be ended.
// ASIO_EWYK_DETAIL_FUTEX_PARKER is for tests without signals, which test the parker that ships.
#if defined(ASIO_EWYK_HAS_LINUX) && defined(__LP64__) \
    && (!defined(ASIO_EWYK_DETAIL_TSAN) || defined(ASIO_EWYK_DETAIL_FUTEX_PARKER))
#define ASIO_EWYK_DETAIL_HAS_FUTEX_PARKER
#include <asio_ewyk/detail/os/futex_parker.hpp>
#else
#include <asio_ewyk/detail/os/condition_parker.hpp>
#endif

namespace asio_ewyk::detail {

// Where one thread sleeps until another one wakes it: a binary semaphore. Not
// std::binary_semaphore, whose timed waits differ among standard libraries.
//
// unpark() wakes the thread, or lets its next park_until() return at once; the sleeper may destroy
// the object as soon as it is awake. park_until() is false if the deadline came first.
#if defined(ASIO_EWYK_DETAIL_HAS_FUTEX_PARKER)
using parker = futex_parker;
#else
using parker = condition_parker;
#endif

} // namespace asio_ewyk::detail

#endif
