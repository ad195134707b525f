// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What a library does that has a hook of its own: its definition is called, and the library's not.

#include <sys/epoll.h>

int epoll_wait(int file, epoll_event* events, int most, int timeout)
{
    return ::epoll_pwait(file, events, most, timeout, nullptr);
}
