// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the tests of switch_to share.

#ifndef ASIO_EWYK_TEST_UNIT_SWITCH_SUPPORT_HPP
#define ASIO_EWYK_TEST_UNIT_SWITCH_SUPPORT_HPP

#include "pool_support.hpp"

#include <future>
#include <vector>

namespace support {

inline bool works_for(ewyk::worker_pool& pool)
{
    return pool.get_executor().running_in_this_thread();
}

/// Spawns on home, and waits for the end. False if that does not come in time.
template <class Executor, class Coroutine>
bool run_through(Executor const& home, Coroutine c)
{
    auto ended = asio::co_spawn(home, std::move(c), asio::use_future);
    if (ended.wait_for(patience) != std::future_status::ready)
        return false;
    ended.get();
    return true;
}

/// Ends loops at the end of its scope: before a pool is destroyed that their threads may still be
/// about to leave, and destroyed they are after the pool's threads have left them.
class end_of
{
public:
    template <class... Loops>
    explicit end_of(Loops&... loops) : loops_{&loops...} {}
    end_of(end_of const&) = delete;
    end_of& operator=(end_of const&) = delete;
    ~end_of()
    {
        for (ewyk::event_loop* const loop : loops_)
            loop->shutdown_gracefully(0ms, patience);
    }

private:
    std::vector<ewyk::event_loop*> loops_;
};

} // namespace support

#endif
