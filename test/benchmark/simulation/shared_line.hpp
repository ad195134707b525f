// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_SIMULATION_SHARED_LINE_HPP
#define ASIO_EWYK_TEST_BENCHMARK_SIMULATION_SHARED_LINE_HPP

#include "machine.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace benchmark::simulation {

/** What the threads of a context share: a queue with its lock, or the words of a lock-free one.

    The core that used it last has it in its cache. For others it takes the time of a transfer
    between cores for each cache line that it is made of, and they get it one after the other: no
    context can be faster than that, on however many cores.
*/
class shared_line
{
public:
    explicit shared_line(int lines = 1)
        : lines_(lines)
    {
    }

    void use(machine const& on, thread& by)
    {
        if (std::exchange(last_, by.core()) == by.core())
            return;
        free_at_ = std::max(free_at_, on.now()) + lines_ * on.cost().line_transfer;
        by.pay(free_at_ - on.now());
    }

private:
    int lines_;
    std::optional<std::size_t> last_;
    duration free_at_{};
};

} // namespace benchmark::simulation

#endif
