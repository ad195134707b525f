// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_TEST_DEADLINE_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_TEST_DEADLINE_HPP

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <poll.h>
#include <stdexcept>
#include <string>

namespace test {

using steady_clock = std::chrono::steady_clock;

/// What has not happened by then never will. Generous: only a test that fails waits for it.
inline constexpr auto patience = std::chrono::seconds(30);

/// Waits until the descriptor has one of the events. Throws if it has none in time.
inline void await(int fd, short events, char const* what)
{
    auto const end = steady_clock::now() + patience;
    for (;;)
    {
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(end - steady_clock::now());
        ::pollfd p{fd, events, 0};
        auto const n = ::poll(&p, 1, std::max(0, static_cast<int>(left.count())));
        if (n > 0)
            return;
        if (n == 0)
            throw std::runtime_error(std::string("waited in vain to ") + what);
        if (errno != EINTR)
            throw std::runtime_error("poll failed");
    }
}

/// True if the descriptor has the event now.
inline bool ready(int fd, short events)
{
    ::pollfd p{fd, events, 0};
    return ::poll(&p, 1, 0) > 0;
}

}

#endif
