// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_PARALLELISM_CONTROL_IPP
#define ASIO_EWYK_DETAIL_ENGINE_PARALLELISM_CONTROL_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/parallelism_control.hpp>
#include <asio_ewyk/detail/os/cpu_binding.hpp>

#include <algorithm>
#include <utility>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL double parallelism_policy::rate(window const& w) noexcept
{
    return static_cast<double>(w.tasks) / static_cast<double>(w.time.count());
}

// Whether clearly more tasks were run in the time.
ASIO_EWYK_DECL bool parallelism_policy::better(window const& one, window const& other) noexcept
{
    return rate(one) > rate(other) * (1 + gain);
}

// How much of the time one thread gets that has enough to do.
ASIO_EWYK_DECL double parallelism_policy::share_of_one(window const& w) noexcept
{
    if (!w.cpu || !w.ran_on || w.mostly_late())
        return 1;
    return static_cast<double>(w.cpu->count()) / static_cast<double>(w.time.count());
}

// After a window with leases. If so, before_ is what the try has to be better than.
ASIO_EWYK_DECL bool parallelism_policy::tries_after(window const& w) noexcept
{
    late_ = w.mostly_late() ? late_ + 1 : 0;
    if (!w.cpu && late_ == 0)
        return false;
    bool const has_rest = late_ == 0 && *w.cpu * 10 < w.time * 9;
    interrupted_ = has_rest && w.ran_on ? interrupted_ + 1 : 0;
    if (has_rest && interrupted_ == 0)
    {
        if (++enough_ == longest_pause)
        {
            enough_ = 0;
            wait_ = pause_ = 1;
        }
        return false;
    }
    enough_ = 0;
    window const last = std::exchange(before_, w);
    if (--wait_ > 0 || late_ == 1 || interrupted_ == 1
        || (late_ == 0 && *w.cpu < shortest * static_cast<duration::rep>(w.tasks)))
        return false;
    // After one in which others had the CPU any window is better.
    if (std::exchange(interrupted_, 0) != 0 && rate(last) > rate(w))
        before_ = last;
    return true;
}

ASIO_EWYK_DECL bool parallelism_policy::leases_after(window const& w) noexcept
{
    switch (state_)
    {
    case state::leasing:
        if (!tries_after(w))
            return true;
        share_ = share_of_one(before_);
        starts_ = 0;
        state_ = state::starting;
        return false;
    case state::starting: // threads have to wake up first, and those that sleep to be found
        if (!w.makes_room || ++starts_ == longest_start)
            state_ = state::trying;
        return false;
    case state::trying:
        if (!better(w, before_))
            return lease();
        state_ = state::confirming;
        return false;
    case state::confirming:
        if (!better(w, before_))
            return lease();
        wait_ = check_ = first_check;
        state_ = state::spreading;
        return false;
    case state::spreading:
        if (!w.mostly_late()
            && static_cast<double>(w.ran.count())
                < 0.75 * share_ * static_cast<double>(w.time.count()))
        {
            // One thread is enough again.
            wait_ = pause_ = 1;
            state_ = state::leasing;
            return true;
        }
        if (--wait_ > 0)
            return false;
        before_ = w;
        state_ = state::checking;
        return true;
    case state::checking:
        if (!better(before_, w))
            return lease();
        share_ = share_of_one(w);
        wait_ = check_ = std::min(2 * check_, longest_check);
        state_ = state::spreading;
        return false;
    }
    return true;
}

// After a try that was in vain.
ASIO_EWYK_DECL bool parallelism_policy::lease() noexcept
{
    wait_ = pause_ = std::min(4 * pause_, longest_pause);
    state_ = state::leasing;
    return true;
}

ASIO_EWYK_DECL parallelism_control::parallelism_control(bool in_use) noexcept
    : cpus_(allowed_cpus())
    , in_use_(in_use && cpus_ > 1)
{
}

ASIO_EWYK_DECL void parallelism_control::look(std::uint64_t taken_over) noexcept
{
    time_point const now = std::chrono::steady_clock::now();
    duration const time = now - began_window_;
    duration const ran(ran_.exchange(0, std::memory_order_relaxed));
    std::size_t const tasks = tasks_.exchange(0, std::memory_order_relaxed);
    std::size_t given = given_.exchange(0, std::memory_order_relaxed);
    std::size_t late = late_.exchange(0, std::memory_order_relaxed);
    late += static_cast<std::size_t>(taken_over - std::exchange(taken_over_, taken_over));
    if (!has_fine_cpu_clocks)
        given = late = 0; // it cannot tell what sleeps from what computes
    bool const has_run_on = cpu_.has_run_on(ran_on);
    auto const cpu = cpu_.take();
    bool const makes_room = std::exchange(makes_room_, false);
    if (std::exchange(began_window_, now) == time_point{})
        return;
    parallelism_policy::window const w{
        time, tasks, cpu, ran, late, std::min(given, tasks), makes_room, has_run_on};
    leases_.store(!in_use_ || policy_.leases_after(w), std::memory_order_relaxed);
    if (!std::exchange(asked_, false))
        forget(slowly);
    weight_.store(ran < static_cast<duration::rep>(tasks) * shortest_measured ? sampled : 1,
        std::memory_order_relaxed);
}

} // namespace asio_ewyk::detail

#endif
