// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "run_queue.hpp"

#include <algorithm>
#include <chrono>

namespace benchmark::simulation {

namespace {

// More is forgotten.
constexpr duration longest_lag = std::chrono::milliseconds(4);

} // namespace

duration run_queue::mean() const
{
    duration sum{};
    for (share const* s : members_)
        sum += s->ran - members_.front()->ran;
    return members_.front()->ran + sum / static_cast<duration::rep>(members_.size());
}

void run_queue::add(share& s)
{
    auto const n = static_cast<duration::rep>(members_.size());
    duration const now = n ? mean() : clock_;
    // It has slept for too short a time to make up for what it had run too much.
    bool const still_ahead = s.left == this && s.lag < duration::zero() && s.ran > now;
    if (!still_ahead)
    {
        duration const lag = s.left == this ? std::max(s.lag, duration::zero()) : s.lag;
        // It moves the mean by being there, and is to have the same lag afterwards.
        s.ran = now - (n ? lag * (n + 1) / n : duration::zero());
        s.slice_ends = s.ran + slice_;
    }
    members_.push_back(&s);
}

void run_queue::remove(share& s)
{
    clock_ = mean();
    s.lag = std::clamp(clock_ - s.ran, -longest_lag, longest_lag);
    s.left = this;
    std::erase(members_, &s);
}

share* run_queue::best(share const* besides) const
{
    duration const now = mean();
    share* found = nullptr;
    for (share* s : members_)
        if (s != besides && s->ran <= now
            && (!found || s->slice_ends < found->slice_ends))
            found = s;
    return found;
}

share& run_queue::choose()
{
    for (share* s : members_)
        if (s->ran >= s->slice_ends)
            s->slice_ends = s->ran + slice_;
    share& s = *best(nullptr);
    s.protected_until = std::min(s.slice_ends, s.ran + slice_);
    return s;
}

bool run_queue::interrupts(share const& woken, share const& running) const
{
    // It has run a little while the other one was added.
    bool const is_eligible = running.ran < mean();
    if (is_eligible && !is_over(running))
        return false;
    return best(is_eligible ? nullptr : &running) == &woken;
}

} // namespace benchmark::simulation
