// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_LEASE_WATCH_IPP
#define ASIO_EWYK_DETAIL_WATCH_LEASE_WATCH_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/checked_option.hpp>
#include <asio_ewyk/detail/os/cpu_binding.hpp>
#include <asio_ewyk/detail/watch/lease_watch.hpp>

#include <utility>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL std::chrono::nanoseconds checked_grace(std::chrono::nanoseconds grace)
{
    check_option(grace >= grace.zero(), "strategy_options::grace", "at least 0", grace);
    return grace;
}

ASIO_EWYK_DECL lease_watch::lease_watch(lessor& owner, duration grace)
    : watchdog_(grace != duration::zero() ? &watchdog::instance() : nullptr)
    , lease_(watched_lease::take(grace))
    , owner_(owner)
    , grace_(grace)
    , may_ask_(in_use() && may_ask_for_class())
    , policy_(grace)
{
}

ASIO_EWYK_DECL lease_watch::~lease_watch()
{
    stop(true);
    lease_.give_back();
}

// Under mutex_. Has the watchdog look.
ASIO_EWYK_DECL bool lease_watch::start() noexcept
{
    if (!home_.is_here())
        home_.move_here();
    if (!std::exchange(registered_, true))
        watchdog_->add(*this, may_ask_, &lease_);
    bool const started = watchdog_->wake(*this);
    if (started)
        start_pause_.grant();
    else
        start_pause_.refuse();
    return started;
}

// The producer.
ASIO_EWYK_DECL void lease_watch::rouse() noexcept
{
    if (!asleep_.exchange(false))
        return;
    std::lock_guard const lock(mutex_);
    if (stop_.load())
        return;
    // If the system refuses the thread, a later task tries again.
    if (!start_pause_.over() || !start())
        asleep_.store(true);
}

ASIO_EWYK_DECL void lease_watch::stop(bool for_good) noexcept
{
    if (!home_.is_here())
    {
        make_anew(mutex_);
        home_.move_here();
    }
    bool registered = false;
    {
        std::lock_guard const lock(mutex_);
        stop_.store(true);
        registered = std::exchange(registered_, false);
    }
    if (registered)
        watchdog_->remove(*this);
    if (for_good)
        return;
    policy_.reset();
    stop_.store(false);
    asleep_.store(in_use());
}

// A producer may have begun to wait for I/O since its lease was seen.
ASIO_EWYK_DECL void lease_watch::take_over(lease::sight const& s) noexcept
{
    if (lease_.right.look().what == s.what)
        owner_.take_over(s.which);
}

// The watchdog.
ASIO_EWYK_DECL time_point lease_watch::look(time_point now) noexcept
{
    lateness::snapshot s;
    s.now = now;
    s.right = lease_.right.look();
    s.observes = observes_;
    s.exact = exact_.load(std::memory_order_relaxed);
    s.roused = !asleep_.load();
    if (auto const told = lease_.take_news(s.right.which); told != thread_probe::state::unknown)
    {
        s.alone = owner_.is_alone();
        // The thread that comes begins where nothing else runs.
        cpu_offer const idle(s.right.cpu);
        if (policy_.is_late(s, told))
            take_over(s.right);
        if (!policy_.is_due(now, s.roused))
            return policy_.next();
    }
    s.thread = thread_probe::state::runs;
    if (policy_.asks(s.right))
    {
        s.thread = probe_.of(s.right.producer);
        blind_.store(s.thread == thread_probe::state::unknown, std::memory_order_relaxed);
    }
    s.alone = owner_.is_alone();
    s.has_sign = owner_.has_sign();
    s.lent = owner_.is_lent(s.right);
    s.soon = owner_.watched(now, s.right, s.thread == thread_probe::state::runs);
    bool const slept = policy_.sleeps() && !s.roused;
    auto const v = policy_.look(s);
    if (v.late)
        take_over(s.right);
    if (v.asks_for_sign)
        owner_.ask_for_sign();
    if (v.calls_owner)
        owner_.call_owner();
    if (v.needs_sentinel && may_ask_)
        watchdog_->call_sentinel(s.right.cpu);
    if (policy_.sleeps())
        probe_.close();
    if (policy_.sleeps() == slept)
        return policy_.next();
    asleep_.store(!slept);
    return slept ? policy_.next() : look(now); // once more, see alert()
}

} // namespace asio_ewyk::detail

#endif
