// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What another library does that has a hook of its own. If this is a shared library, our definition
// is first and calls this one. Among the objects of a program, this one takes the place of ours.

#include <sys/epoll.h>

#include <atomic>

static std::atomic<int> calls = 0;

extern "C" int foreign_hook_calls() { return calls; }

int epoll_wait(int file, epoll_event* events, int most, int timeout)
{
    ++calls;
    return ::epoll_pwait(file, events, most, timeout, nullptr);
}
