// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_USAGE_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_USAGE_HPP

#include <chrono>
#include <sys/resource.h>

namespace http_server {

/// What the process has used so far, all its threads together, those included that have ended.
struct usage
{
    std::chrono::microseconds cpu{};    ///< user and system time
    long switches = 0;                  ///< times a thread gave up its core to wait for something

    static usage now() noexcept
    {
        ::rusage r{};
        ::getrusage(RUSAGE_SELF, &r);
        auto const time = [](timeval t) {
            return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
        };
        return {time(r.ru_utime) + time(r.ru_stime), r.ru_nvcsw};
    }

    friend usage operator-(usage const& a, usage const& b) noexcept
    {
        return {a.cpu - b.cpu, a.switches - b.switches};
    }
};

}

#endif
