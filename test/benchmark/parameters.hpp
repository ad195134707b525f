// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_PARAMETERS_HPP
#define ASIO_EWYK_TEST_BENCHMARK_PARAMETERS_HPP

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace benchmark {

/// What a measurement is made with, besides its workload and peer. All are numbers.
class parameters
{
public:
    using map = std::map<std::string, double>;

    explicit parameters(map values)
        : values_(std::move(values))
    {
    }

    double operator[](std::string const& name) const { return values_.at(name); }

    std::size_t count(std::string const& name) const
    {
        return static_cast<std::size_t>(values_.at(name));
    }

    std::chrono::nanoseconds microseconds(std::string const& name) const
    {
        return std::chrono::nanoseconds(
            static_cast<std::chrono::nanoseconds::rep>(values_.at(name) * 1000));
    }

    map const& all() const { return values_; }

    /// How long the measurement lasts, and before it the warm-up.
    std::chrono::duration<double> seconds{};
    std::chrono::duration<double> warm_up{};

    /// Whether futex calls are to be counted, which makes them, and context switches, slower.
    bool counts_futex_calls = false;

private:
    map values_;
};

} // namespace benchmark

#endif
