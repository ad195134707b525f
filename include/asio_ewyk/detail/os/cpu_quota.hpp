// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_CPU_QUOTA_HPP
#define ASIO_EWYK_DETAIL_OS_CPU_QUOTA_HPP

#include <asio_ewyk/detail/config.hpp>

#include <cstddef>
#include <limits>
#include <string>

namespace asio_ewyk::detail {

inline constexpr std::size_t no_cpu_quota = std::numeric_limits<std::size_t>::max();

// How much CPU time the control groups of Linux let this process have, in CPUs, rounded up: what
// a container is given. `root` is where the file system begins. The least of the process's group
// and of those around it; `no_cpu_quota` if there is no limit, or nothing to read. Throws
// std::bad_alloc.
std::size_t cpu_quota(std::string const& root = {});

// How many CPUs this process may keep busy; at least 1.
std::size_t usable_cpus() noexcept;

// How many CPUs the threads that this one starts may keep busy; at least 1. The quota is read once
// in a process, as that opens files.
int usable_cpus_from_here() noexcept;

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/os/cpu_quota.ipp>
#endif

#endif
