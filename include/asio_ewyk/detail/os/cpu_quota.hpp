// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_CPU_QUOTA_HPP
#define ASIO_EWYK_DETAIL_OS_CPU_QUOTA_HPP

#include <asio_ewyk/detail/config.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <utility>

namespace asio_ewyk::detail {

// How much CPU time the control groups of Linux let this process have, in CPUs, rounded up: what
// a container is given. `root` is where the file system begins.
class cpu_quota
{
public:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    explicit cpu_quota(std::string root = {})
        : root_(std::move(root))
    {
    }

    // The least of the process's group and of those around it; `none` if there is no limit, or
    // nothing to read. Throws std::bad_alloc.
    std::size_t cpus() const;

private:
    std::size_t of_group(std::string const& group, bool first_version) const;

    std::string const root_;
};

// How many CPUs this process may keep busy; at least 1.
std::size_t usable_cpus() noexcept;

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/os/cpu_quota.ipp>
#endif

#endif
