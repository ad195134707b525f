// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_LOAD_SCHEDULE_HPP
#define ASIO_EWYK_EXAMPLE_LOAD_SCHEDULE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace load {

/** When one connection of a class is to send its requests, counted from a common start.

    The requests of the class are evenly spaced, and its connections take turns. The time of each
    follows from its number alone, so that no error adds up, and no answer that comes late moves
    a request that comes after it.

    @par Thread Safety
    Immutable.
*/
class schedule
{
public:
    /// `rate`: requests per second of the class, positive. `turn`: this one of its `connections`.
    schedule(double rate, std::size_t turn, std::size_t connections) noexcept
      : rate_(rate), turn_(turn), connections_(connections)
    {
    }

    /// When to send the request of that number; the first has number 0.
    std::chrono::nanoseconds at(std::uint64_t number) const noexcept
    {
        auto const requests_before = static_cast<double>(turn_ + number * connections_);
        return std::chrono::round<std::chrono::nanoseconds>(
            std::chrono::duration<double>(requests_before / rate_));
    }

private:
    double rate_;
    std::uint64_t turn_;
    std::uint64_t connections_;
};

}

#endif
