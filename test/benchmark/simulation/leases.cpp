// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "leases.hpp"

#include <utility>

namespace benchmark::simulation {

namespace {

using window = asio_ewyk::detail::parallelism_control;

// As in detail::sentinel.
constexpr int computing = 10;
constexpr duration patience = std::chrono::milliseconds(40);

} // namespace

leases::leases(machine& on, duration grace, take_over how)
    : machine_(on)
    , grace_(grace)
    , take_over_(std::move(how))
    , sentinel_(*this)
    , watchdog_(*this)
{
    if (!in_use())
        return;
    machine_.start(sentinel_);
    machine_.start(watchdog_);
}

void leases::count(thread const& producer)
{
    if (++tasks_ % window::checked_every != 0)
        return;
    duration const time = machine_.now() - began_window_;
    if (time < window::window)
        return;
    std::optional<duration> used;
    if (producer_ == &producer && known_)
        used = used_ + machine_.cpu_time(producer) - cpu_;
    pays_ = machine_.cores() == 1
        || parallelism_.leases_after({time, tasks_, used, std::exchange(ran_, {})});
    began_window_ = machine_.now();
    producer_ = &producer;
    cpu_ = machine_.cpu_time(producer);
    used_ = {};
    known_ = true;
    tasks_ = 0;
}

// As detail::role_clock does it.
void leases::producer_is(thread const& t)
{
    if (producer_ == &t)
        return;
    if (producer_)
        used_ += machine_.cpu_time(*producer_) - cpu_;
    else
        known_ = false;
    producer_ = &t;
    cpu_ = machine_.cpu_time(t);
}

leases::number leases::begin(thread& holder)
{
    holder_ = &holder;
    if (watchdog_.is_in_bed())
        machine_.unpark(watchdog_, &holder);
    return lease_.begin(asio_ewyk::detail::lease::activity::task);
}

void leases::blocked(thread const& holder)
{
    if (auto const now = lease_.look(); now.leased && holder_ == &holder)
        sentinel_.tell(now.which);
}

void leases::late(number n, thread& by)
{
    if (lease_.end(n))
        take_over_(by);
}

void leases::sentinel::tell(number n)
{
    blocked_ = n;
    due_ = of_.machine_.now() + of_.grace_;
    of_.machine_.unpark(*this, nullptr);
}

step leases::sentinel::next()
{
    if (!of_.lease_.is(blocked_))
        return {step::kind::park, duration::max()};
    if (of_.machine_.now() < due_)
        return {step::kind::park, due_};
    pay(of_.machine_.cost().system_call); // it asks what the thread does
    of_.late(blocked_, *this);
    return {};
}

step leases::watchdog::next()
{
    duration const now = of_.machine_.now();
    auto const s = of_.lease_.look();
    pay(of_.machine_.cost().clock);
    duration const since = now - seen_since_;
    in_bed_ = false;
    if (!s.leased || s.which != seen_)
    {
        if (s.which != seen_)
            seen_since_ = now;
        else if (since >= patience)
        {
            interval_.forget();
            in_bed_ = true;
            return {step::kind::park, duration::max()};
        }
        seen_ = s.which;
        interval_.grow();
    }
    else if (since >= of_.grace_)
    {
        pay(of_.machine_.cost().system_call);
        if (of_.holder_->sleeps() || since >= computing * of_.grace_)
        {
            interval_.shrink();
            of_.late(s.which, *this);
        }
    }
    return {step::kind::park, now + interval_.get()};
}

} // namespace benchmark::simulation
