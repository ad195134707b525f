#ifndef ASIO_EWYK_DETAIL_PARKER_HPP
#define ASIO_EWYK_DETAIL_PARKER_HPP

#if defined(__linux__) && defined(__LP64__)
#include <asio_ewyk/detail/futex_parker.hpp>
#else
#include <asio_ewyk/detail/condition_parker.hpp>
#endif

namespace asio_ewyk::detail {

// Where one thread sleeps until another one wakes it: a binary semaphore. Not
// std::binary_semaphore, whose timed waits differ among standard libraries.
//
// unpark() wakes the thread, or lets its next park_until() return at once; the sleeper may destroy
// the object as soon as it is awake. park_until() is false if the deadline came first.
#if defined(__linux__) && defined(__LP64__)
using parker = futex_parker;
#else
using parker = condition_parker;
#endif

} // namespace asio_ewyk::detail

#endif
