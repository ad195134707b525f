// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_CPU_SENTINEL_IPP
#define ASIO_EWYK_DETAIL_WATCH_CPU_SENTINEL_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/home_process.hpp>
#include <asio_ewyk/detail/os/start_thread.hpp>
#include <asio_ewyk/detail/watch/cpu_sentinel.hpp>

#include <algorithm>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL ASIO_EWYK_COLD cpu_sentinel* cpu_sentinel::activate(
    int cpu, watchdog_sleep& of_watchdog)
{
    if (static_cast<std::size_t>(cpu) >= cpus)
        return nullptr;
    std::atomic<cpu_sentinel*>& there = slots_[cpu].of;
    cpu_sentinel* one = there.load();
    if (!one)
        there.store(one = new cpu_sentinel(cpu, of_watchdog));
    one->needed_until_.store(after(needed_for));
    if (!one->thread_.joinable())
    {
        one->stop_.store(false);
        one->thread_ = start_thread([one] { one->thread_main(); });
    }
    else if (one->sleeps_.load())
        one->sleep_.unpark();
    return one;
}

// The sentinel ends on any CPU, and as a normal thread if the system allows that, as the watchdog
// waits for it.
ASIO_EWYK_DECL ASIO_EWYK_COLD void cpu_sentinel::request_end() noexcept
{
    stop_.store(true);
    if (thread_id const id = id_.load())
        leave_idle_class(id);
    sleep_.unpark();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void cpu_sentinel::join()
{
    thread_.join();
    id_.store({});
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void cpu_sentinel::forget_thread() noexcept
{
    make_anew(thread_);
    make_anew(sleep_);
    id_.store({});
}

ASIO_EWYK_DECL void cpu_sentinel::wake(sentinel_slot& here) noexcept
{
    if (here.waits.exchange(false))
        here.of.load()->sleep_.unpark();
}

ASIO_EWYK_DECL bool cpu_sentinel::sees_task(
    watched_lease const* l, lease::snapshot const& s) const noexcept
{
    return l && s.leased && s.what != lease::activity::polls && s.cpu == cpu_
        && !(l == known_ && s.which == known_state_.which && s.what == known_state_.what);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void cpu_sentinel::thread_main() noexcept
{
    name_this_thread("ewyk-sentinel", static_cast<std::size_t>(cpu_));
    id_.store(this_thread_id());
    if (!become_idle_class())
        return refused_.store(true);
    if (cpu_mask::only(cpu_).apply() != 0)
        return; // elsewhere, that the sentinel runs says nothing of the producer
    cpu_offer const idle(cpu_);
    sentinel_slot& slot = slots_[cpu_];
    auto const read_last = [&](watched_lease*& l) {
        l = slot.last.load(std::memory_order_acquire);
        return l ? l->right.read() : lease::snapshot{};
    };
    while (!stop_.load())
    {
        watched_lease* l = nullptr;
        if (auto const s = read_last(l); sees_task(l, s))
        {
            if (outlasts_grace(*l, s.which) && !tell(*l, l->right.read()))
                sleep_.park_until(after(pause)); // the producer runs elsewhere
            continue;
        }
        time_point const now = std::chrono::steady_clock::now();
        bool const waits = now < needed_until_.load();
        (waits ? slot.waits : sleeps_).store(true);
        auto const s = read_last(l);
        if (!sees_task(l, s) && waits == (now < needed_until_.load()))
        {
            if (!waits)
                probe_.close();
            sleep_.park_until(waits ? now + longest_sleep : forever);
        }
        slot.waits.store(false);
        sleeps_.store(false);
    }
    probe_.close();
}

// Tells the watchdog of that lease if its thread has blocked. A thread that sleeps on a lock, and
// has not said that it is busy, may wait for Asio's condition. False if the thread runs.
ASIO_EWYK_DECL ASIO_EWYK_COLD bool cpu_sentinel::tell(
    watched_lease& l, lease::snapshot const& s) noexcept
{
    auto const thread = probe_.of(s.producer);
    if (thread == thread_probe::state::runs)
        return false;
    known_ = &l;
    known_state_ = s;
    if (thread == thread_probe::state::unknown
        || (s.what == lease::activity::unknown && thread != thread_probe::state::blocks))
        return true;
    needed_until_.store(after(needed_for));
    l.tell(s.which, thread);
    told_.store(&l);
    watchdog_sleep_.unpark_on_this_cpu();
    return true;
}

// Whether that lease is still the same after the grace, and no other task has begun here meanwhile.
// The sentinel yields through a short grace, and pauses through a long one, or it would keep an
// idle core busy. A yield lasts for as long as another thread wants this CPU.
ASIO_EWYK_DECL ASIO_EWYK_COLD bool cpu_sentinel::outlasts_grace(
    watched_lease const& l, lease::number n) noexcept
{
    auto const grace = l.grace();
    time_point now = std::chrono::steady_clock::now();
    time_point const end = after(grace, now);
    time_point const yields_until = after(pause, now);
    do
    {
        if (now < yields_until)
            std::this_thread::yield();
        else
            sleep_.park_until(std::min(end, after(std::max(pause, grace / 8), now)));
        if (!l.right.is(n) || stop_.load()
            || (now >= yields_until && slots_[cpu_].last.load() != &l))
            return false;
        now = std::chrono::steady_clock::now();
    } while (now < end);
    return true;
}

} // namespace asio_ewyk::detail

#endif
