// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TASK_QUEUE_DEPTH_HPP
#define ASIO_EWYK_DETAIL_TASK_QUEUE_DEPTH_HPP

#include <asio_ewyk/detail/metrics/counter.hpp>
#include <asio_ewyk/detail/metrics/raise_to.hpp>
#include <asio_ewyk/detail/task/posted_queue.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace asio_ewyk::detail {

// How many tasks wait for the thread that takes them one after the other: those in the posted
// queue, even if that thread has not looked there for long, and those in its own list.
class queue_depth
{
public:
    explicit queue_depth(posted_queue const& posted) noexcept
        : posted_(posted)
    {
    }

    // The thread's own. A task that was not posted is added before it is taken.
    void add() noexcept { added_.add(); }
    void take() noexcept { taken_.add(); }

    // Another thread has taken one of the posted ones.
    void taken_elsewhere() noexcept { taken_elsewhere_.add(); }

    // The thread, when it has taken several from the queue, and now and then: remembers the most.
    void look() noexcept { most_.raise_to(waiting()); }

    // Any thread: writes how many there are now, and the most so far. What it sees counts for the
    // most from now on.
    void write_to(std::size_t& now, std::size_t& most) const noexcept
    {
        std::uint64_t const n = waiting();
        std::uint64_t const least = taken() != 0 ? 1 : 0;
        now = static_cast<std::size_t>(n);
        most = static_cast<std::size_t>(raise_to(most_seen_, std::max({least, n, most_.get()})));
    }

    // Any thread: how many were taken by the thread, and how many wait. The latter is never less
    // than 0, as what was taken is read first, and is counted last.
    std::uint64_t taken() const noexcept { return taken_.get(); }
    std::uint64_t waiting() const noexcept
    {
        std::uint64_t const gone = this->gone();
        return added_.get() + posted_.pushed() - gone;
    }

    // How many were taken by any thread.
    std::uint64_t gone() const noexcept { return taken_.get() + taken_elsewhere_.get(); }

private:
    posted_queue const& posted_;
    own_counter added_;
    own_counter taken_;
    own_counter most_;
    shared_counter taken_elsewhere_;
    mutable std::atomic<std::uint64_t> most_seen_{0}; // by write_to()
};

} // namespace asio_ewyk::detail

#endif
