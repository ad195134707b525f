// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_MEASUREMENT_HPP
#define ASIO_EWYK_TEST_BENCHMARK_MEASUREMENT_HPP

#include "futex_counter.hpp"
#include "parameters.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace benchmark {

/// What the process has done so far, all its threads together, those included that have ended.
struct totals
{
    std::uint64_t operations = 0;
    std::chrono::steady_clock::time_point time;
    std::chrono::microseconds cpu{}; // user and system time
    long voluntary_switches = 0;
    long involuntary_switches = 0;
    std::optional<std::uint64_t> futex_calls; // none: the system does not tell
};

/** Watches the process while a workload goes on.

    To be constructed before the threads that are to be watched.

    @par Thread Safety
    Shared objects: unsafe.
*/
class measurement
{
public:
    using counter = std::function<std::uint64_t()>;

    /// `operations` says how many there have been; it is called on this thread.
    measurement(parameters const& with, counter operations)
        : with_(with)
        , operations_(std::move(operations))
        , futex_(with.counts_futex_calls)
    {
    }

    /// Waits for the warm-up and the measurement to pass, and says what happened in the latter.
    boost::json::object watch();

    /// Two calls instead, for a workload that knows by itself when it begins and ends.
    totals now() const;
    static boost::json::object difference(totals const& from, totals const& to);

private:
    parameters const& with_;
    counter operations_;
    futex_counter futex_;
};

} // namespace benchmark

#endif
