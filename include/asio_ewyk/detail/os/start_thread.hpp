// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_START_THREAD_HPP
#define ASIO_EWYK_DETAIL_OS_START_THREAD_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/cpu_binding.hpp>
#include <asio_ewyk/detail/os/signals.hpp>

#include <thread>
#include <utility>

namespace asio_ewyk::detail {

// Starts a thread of the library's: it takes no signals, which are for threads of the program, and
// is not bound to the CPU of a loop whose thread starts it. Throws std::system_error.
template <class F>
ASIO_EWYK_COLD std::thread start_thread(F&& f)
{
    block_signals const blocked;
    unbound const from_cpu;
    return std::thread(std::forward<F>(f));
}

} // namespace asio_ewyk::detail

#endif
