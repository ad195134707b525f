// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_CPU_QUOTA_IPP
#define ASIO_EWYK_DETAIL_OS_CPU_QUOTA_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/cpu_binding.hpp>
#include <asio_ewyk/detail/os/cpu_quota.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <fstream>
#include <string>
#include <thread>

namespace asio_ewyk::detail {

// A file with the quota, or "max", and the period, both in microseconds. In the first version there
// is a file for each, and the quota is negative if there is none.
ASIO_EWYK_COLD inline std::size_t cpu_quota_of(std::string const& files, bool first_version)
{
    std::ifstream quota(files + (first_version ? "/cpu.cfs_quota_us" : "/cpu.max"));
    std::ifstream period(files + "/cpu.cfs_period_us");
    long long allowed = 0;
    long long in = 0;
    if (!(quota >> allowed) || !((first_version ? period : quota) >> in) || allowed <= 0
        || in <= 0)
        return no_cpu_quota;
    return static_cast<std::size_t>((allowed - 1) / in + 1);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD std::size_t cpu_quota(std::string const& root)
{
    // <number>:<controllers>:<group>, where version 2 has no controllers.
    std::size_t least = no_cpu_quota;
    std::ifstream groups(root + "/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);)
    {
        auto const first = line.find(':');
        auto const second = line.find(':', first + 1);
        if (second == line.npos)
            continue;
        std::string const controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
        bool const first_version = controllers.find(",cpu,") != controllers.npos;
        if (!first_version && controllers != ",,")
            continue;
        // In a container the group's own path may not be visible, but that of its root is.
        for (std::string group = line.substr(second + 1);; group.erase(group.rfind('/')))
        {
            if (group.ends_with('/'))
                group.pop_back();
            least = std::min(least,
                cpu_quota_of(root + "/sys/fs/cgroup" + (first_version ? "/cpu" : "") + group,
                    first_version));
            if (group.find('/') == group.npos)
                break;
        }
    }
    return least;
}

// `no_cpu_quota` also if there is no memory to read it.
inline std::size_t cpu_quota_if_any() noexcept
{
#if defined(ASIO_EWYK_HAS_LINUX)
    try
    {
        return cpu_quota();
    }
    catch (...)
    {
    }
#endif
    return no_cpu_quota;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD std::size_t usable_cpus() noexcept
{
    std::size_t const cores = std::max(1u, std::thread::hardware_concurrency());
    return std::min(cores, cpu_quota_if_any());
}

// Two threads may both read the quota. A static with an initializer has a lock instead, which stays
// locked in the child of a fork if another thread had it.
ASIO_EWYK_DECL ASIO_EWYK_COLD int usable_cpus_from_here() noexcept
{
    constexpr std::size_t unread = 0;
    static std::atomic<std::size_t> known{unread};
    std::size_t quota = known.load(std::memory_order_relaxed);
    if (quota == unread)
        known.store(quota = cpu_quota_if_any(), std::memory_order_relaxed);
    return static_cast<int>(std::min(static_cast<std::size_t>(allowed_cpus()), quota));
}

} // namespace asio_ewyk::detail

#endif
