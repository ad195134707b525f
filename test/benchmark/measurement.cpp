// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "measurement.hpp"

#include <sys/resource.h>

#include <fstream>
#include <string>
#include <thread>

namespace benchmark {

namespace {

// The most memory that the process has had. Not ru_maxrss, which a process inherits from the one
// that started it.
std::uint64_t most_memory_kib()
{
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (std::uint64_t kib = 0; word == "VmHWM:" && status >> kib)
            return kib;
    return 0;
}

} // namespace

totals measurement::now() const
{
    ::rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    auto const time = [](timeval t) {
        return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
    };
    return {operations_(), std::chrono::steady_clock::now(),
        time(used.ru_utime) + time(used.ru_stime), used.ru_nvcsw, used.ru_nivcsw, futex_.calls()};
}

boost::json::object measurement::difference(totals const& from, totals const& to)
{
    using seconds = std::chrono::duration<double>;
    boost::json::object result{
        {"operations", to.operations - from.operations},
        {"seconds", seconds(to.time - from.time).count()},
        {"cpu_seconds", seconds(to.cpu - from.cpu).count()},
        {"voluntary_switches", to.voluntary_switches - from.voluntary_switches},
        {"involuntary_switches", to.involuntary_switches - from.involuntary_switches},
        {"futex_calls", nullptr},
        {"max_rss_kib", most_memory_kib()},
    };
    if (from.futex_calls && to.futex_calls)
        result["futex_calls"] = *to.futex_calls - *from.futex_calls;
    return result;
}

boost::json::object measurement::watch()
{
    std::this_thread::sleep_for(with_.warm_up);
    totals const from = now();
    std::this_thread::sleep_for(with_.seconds);
    return difference(from, now());
}

} // namespace benchmark
