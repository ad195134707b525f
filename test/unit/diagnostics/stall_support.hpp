// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the tests of stall reports share.

#ifndef ASIO_EWYK_TEST_UNIT_STALL_SUPPORT_HPP
#define ASIO_EWYK_TEST_UNIT_STALL_SUPPORT_HPP

#include "../pool_support.hpp"

#include <asio_ewyk.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#if defined(ASIO_EWYK_HAS_LINUX)
#include <filesystem>
#include <fstream>
#endif

namespace support {

/// Keeps the reports, and lets others wait for them.
class reports
{
public:
    std::function<void(ewyk::stall_report const&)> callback()
    {
        return [this](ewyk::stall_report const& r) {
            std::lock_guard const lock(mutex_);
            all_.push_back(r);
            changed_.notify_all();
        };
    }

    /// How many there are of that kind.
    std::size_t count(ewyk::stall_kind kind) const
    {
        std::lock_guard const lock(mutex_);
        return counted(kind);
    }

    bool wait_for(ewyk::stall_kind kind, std::size_t n = 1)
    {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, patience, [&] { return counted(kind) >= n; });
    }

    /// The first one of that kind, which must be there.
    ewyk::stall_report first(ewyk::stall_kind kind) const
    {
        std::lock_guard const lock(mutex_);
        auto const found = std::find_if(
            all_.begin(), all_.end(), [&](auto const& r) { return r.kind == kind; });
        BOOST_TEST_REQUIRE((found != all_.end()));
        return *found;
    }

    /// How many lines it has. A thread that gets no CPU for long is reported without its stack, so
    /// one report says little.
    std::size_t longest_stack(ewyk::stall_kind kind) const
    {
        std::lock_guard const lock(mutex_);
        std::size_t longest = 0;
        for (auto const& r : all_)
            if (r.kind == kind)
                longest = std::max(longest, r.stack.size());
        return longest;
    }

private:
    std::size_t counted(ewyk::stall_kind kind) const
    {
        return static_cast<std::size_t>(std::count_if(
            all_.begin(), all_.end(), [&](auto const& r) { return r.kind == kind; }));
    }

    std::mutex mutable mutex_;
    std::condition_variable changed_;
    std::vector<ewyk::stall_report> all_; // guarded by mutex_
};

#if defined(ASIO_EWYK_HAS_LINUX)

/// The directory of the monitor's thread in /proc; empty if there is none.
inline std::filesystem::path monitors_directory()
{
    for (auto const& task : std::filesystem::directory_iterator("/proc/self/task"))
    {
        std::ifstream comm(task.path() / "comm");
        std::string name;
        if (std::getline(comm, name) && name == "ewyk-stalls-0")
            return task.path();
    }
    return {};
}

#endif

inline bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != text.npos;
}

}

#endif
