// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_IDLE_CALLERS_HPP
#define ASIO_EWYK_DETAIL_ENGINE_IDLE_CALLERS_HPP

#include <asio_ewyk/detail/observe/trace_point.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/home_process.hpp>
#include <asio_ewyk/detail/os/parker.hpp>
#include <asio_ewyk/detail/pool/parked_threads.hpp>
#include <asio_ewyk/detail/task/task.hpp>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace asio_ewyk::detail {

// A caller's thread that is inside run(), while it waits for something to do.
struct idle_caller
{
    parker sleep;
    task* job = nullptr; // written by what claims it, before it is woken; null: look for work
};

// The callers' threads that are inside run(). There are `capacity` slots; a caller that finds none
// free waits for one, since an idle caller without a slot could not be found.
class idle_callers
{
public:
    static constexpr std::size_t capacity = 256;
    static constexpr std::size_t none = parked_threads::none;

    idle_callers()
        : parked_(capacity)
        , free_(capacity)
    {
        for (std::size_t i = 0; i != capacity; ++i)
            free_.park(i);
    }

    // In the child of a fork: callers that wait for a slot are not there.
    void forget_others() noexcept { make_anew(changed_); }

    // A slot; none if the deadline came first, or `give_up()` held when changed() was called.
    template <class GiveUp>
    std::size_t occupy(idle_caller& g, time_point deadline, GiveUp give_up)
    {
        std::size_t slot = free_.claim();
        if (slot == none)
        {
            std::unique_lock lock(mutex_);
            waiting_.fetch_add(1);
            auto const settled = [&] { return (slot = free_.claim()) != none || give_up(); };
            if (deadline == forever)
                changed_.wait(lock, settled);
            else
                changed_.wait_until(lock, deadline, settled);
            waiting_.fetch_sub(1);
        }
        if (slot != none)
            callers_[slot] = &g;
        return slot;
    }

    void vacate(std::size_t slot)
    {
        callers_[slot] = nullptr;
        free_.park(slot);
        changed();
    }

    void changed()
    {
        if (waiting_.load() != 0)
        {
            std::lock_guard lock(mutex_);
            changed_.notify_all();
        }
    }

    // The idle caller may be claimed from now on.
    void park(std::size_t slot) noexcept { parked_.park(slot); }
    bool withdraw(std::size_t slot) noexcept { return parked_.withdraw(slot); }

    // How many are parked; any thread.
    std::size_t parked() const noexcept { return parked_.size(); }

    // Wakes a parked one with a job; null has it look for work. False if none is parked.
    bool wake_one(task* job) noexcept
    {
        std::size_t const slot = parked_.claim();
        if (slot == none)
            return false;
        idle_caller& g = *callers_[slot];
        if (job)
            trace_point(trace_event::give, job);
        g.job = job;
        g.sleep.unpark();
        return true;
    }

    // Wakes all that are parked now, to look for work. Claimed all before one is woken: one that
    // parks again at once would be woken again, without end.
    void wake_all() noexcept
    {
        std::array<idle_caller*, capacity> all;
        std::size_t n = 0;
        for (std::size_t slot; n != capacity && (slot = parked_.claim()) != none; ++n)
            all[n] = callers_[slot];
        for (std::size_t i = 0; i != n; ++i)
        {
            all[i]->job = nullptr;
            all[i]->sleep.unpark();
        }
    }

private:
    parked_threads parked_;
    parked_threads free_; // slots that are free

    // Written by the thread that has the slot while it is not parked; read by what claimed it.
    std::array<idle_caller*, capacity> callers_{};

    std::mutex mutex_;
    std::condition_variable changed_; // a slot became free, or something to give up for
    std::atomic<std::size_t> waiting_{0};
};

} // namespace asio_ewyk::detail

#endif
