// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_LEASE_WATCH_IPP
#define ASIO_EWYK_DETAIL_WATCH_LEASE_WATCH_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/cpu_binding.hpp>
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
#include <asio_ewyk/detail/os/tick_clock.hpp>
#endif
#include <asio_ewyk/detail/utility/checked_option.hpp>
#include <asio_ewyk/detail/watch/lease_watch.hpp>

#include <utility>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL ASIO_EWYK_COLD std::chrono::nanoseconds checked_grace(std::chrono::nanoseconds grace)
{
    check_option(grace >= grace.zero(), "strategy_options::grace", "at least 0", grace);
    return grace;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD lease_watch::lease_watch(lessor& of, duration grace)
    : watchdog_(grace != duration::zero() ? &watchdog::instance() : nullptr)
    , lease_(watched_lease::take(grace))
    , lessor_(of)
    , grace_(grace)
    , may_ask_(in_use() && may_ask_for_class())
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
    , policy_(grace, true)
#else
    , policy_(grace)
#endif
{
}

ASIO_EWYK_DECL ASIO_EWYK_COLD lease_watch::~lease_watch()
{
    stop(true);
    lease_.give_back();
}

// The producer, when asleep_ is set: has the watchdog check the lease.
ASIO_EWYK_DECL void lease_watch::wake_watchdog() noexcept
{
    if (!asleep_.exchange(false))
        return;
    std::lock_guard const lock(mutex_);
    if (stop_.load())
        return;
    if (start_pause_.over())
    {
        if (!home_.is_here())
            home_.move_here();
        if (!std::exchange(registered_, true))
            watchdog_->add(*this, may_ask_, &lease_);
        if (watchdog_->wake(*this))
            return start_pause_.grant();
        start_pause_.refuse();
    }
    // The system refuses the watchdog its thread: the producer tries again with a later task.
    asleep_.store(true);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void lease_watch::stop(bool for_good) noexcept
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

// The handler that the producer runs. Not where it is a thread without a record, or runs one of
// another context inside of its own. Where the record changes each time that it is looked at there
// are very short ones, none of which is the one of another check.
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
ASIO_EWYK_DECL ASIO_EWYK_COLD handler_sight lease_watch::handler_of(
    lease::snapshot const& s) noexcept
{
    handler_sight h;
    if (!owner_ || !s.held || s.producer == 0)
        return h;
    if (!producer_ || producer_->thread() != s.producer || producer_->now().owner != owner_)
        producer_ = thread_activity::of(s.producer);
    if (!producer_)
        return h;
    thread_activity::sight seen = producer_->look();
    for (int tries = 0; !seen.now.owner && tries != 8; ++tries)
        seen = producer_->look();
    bool const changes = !seen.now.owner && producer_->now().owner == owner_;
    if (!changes && seen.now.owner != owner_)
        return h;
    h.told = true;
    h.runs = changes || seen.now.what != nullptr;
    h.which = changes ? producer_->changes() : seen.changes;
    if (h.runs && seen.began != 0)
        h.age = tick_clock::scale()(tick_clock::now() - seen.began);
    return h;
}
#else
ASIO_EWYK_DECL ASIO_EWYK_COLD handler_sight lease_watch::handler_of(lease::snapshot const&) noexcept
{
    return {};
}
#endif

// Not if the producer has begun to wait for I/O, or to run another handler, since its lease was
// read.
ASIO_EWYK_DECL ASIO_EWYK_COLD void lease_watch::take_over(lateness::observation const& s) noexcept
{
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
    // Before the reads: a handler that begins later than this is another one.
    tick_clock::ticks const now = tick_clock::now();
#endif
    auto const right = lease_.right.read();
    if (right.what != s.right.what || (s.inside.told && handler_of(right).which != s.inside.which))
        return;
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
    // Before the lease ends: a handler may wait for what another thread does then.
    if (right.which == s.right.which && right.producer != 0)
        if (thread_activity* const late = thread_activity::of(right.producer))
            late->take_over(now);
#endif
    lessor_.take_over(s.right.which);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD time_point lease_watch::on_timer(time_point now) noexcept
{
    lateness::observation s;
    s.now = now;
    s.right = lease_.right.read();
    s.inside = handler_of(s.right);
    s.observes = observes_;
    s.knows_file = knows_reactor();
    s.woken = !asleep_.load();
    if (auto const told = lease_.take_told(s.right.which); told != thread_probe::state::unknown)
    {
        s.alone = lessor_.is_alone();
        // The sentinel's CPU is idle: the thread that is asked to come may begin there.
        cpu_offer const idle(s.right.cpu);
        if (policy_.is_late(s, told))
            take_over(s);
        if (!policy_.is_due(now, s.woken))
            return policy_.next();
    }
    s.thread = thread_probe::state::runs;
    if (policy_.needs_thread_state(s.right, s.inside))
    {
        s.thread = probe_.of(s.right.producer);
        probe_refused_.store(s.thread == thread_probe::state::unknown, std::memory_order_relaxed);
    }
    s.alone = lessor_.is_alone();
    s.has_sign = lessor_.has_sign();
    s.lent = lessor_.is_lent(s.right);
    s.check_soon = lessor_.on_check(now, s.right, s.thread == thread_probe::state::runs);
    bool const slept = policy_.sleeps() && !s.woken;
    auto const v = policy_.update(s);
    if (v.late)
        take_over(s);
    if (v.asks_for_sign)
        lessor_.ask_for_sign();
    if (v.wakes_owner)
        lessor_.wake_owner();
    if (v.needs_sentinel && may_ask_)
        watchdog_->activate_sentinel(s.right.cpu);
    if (policy_.sleeps())
        probe_.close();
    if (policy_.sleeps() == slept)
        return policy_.next();
    asleep_.store(!slept);
    return slept ? policy_.next() : on_timer(now); // once more: see wake_if_asleep()
}

} // namespace asio_ewyk::detail

#endif
