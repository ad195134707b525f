// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "futex_counter.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace benchmark {

futex_counter::futex_counter(bool wanted)
{
    if (!wanted)
        return;
    std::uint64_t id = 0;
    for (std::string const root : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"})
        if (std::ifstream(root + "/events/syscalls/sys_enter_futex/id") >> id)
            break;
    if (id == 0)
        return;
    ::perf_event_attr event{};
    event.size = sizeof(event);
    event.type = PERF_TYPE_TRACEPOINT;
    event.config = id;
    event.inherit = 1;
    descriptor_ = static_cast<int>(
        ::syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

futex_counter::~futex_counter()
{
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

std::optional<std::uint64_t> futex_counter::calls() const
{
    std::uint64_t count = 0;
    if (descriptor_ < 0 || ::read(descriptor_, &count, sizeof(count)) != sizeof(count))
        return {};
    return count;
}

} // namespace benchmark
