// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_CPU_SENTINEL_IPP
#define ASIO_EWYK_DETAIL_WATCH_CPU_SENTINEL_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/home_process.hpp>
#include <asio_ewyk/detail/os/signals.hpp>
#include <asio_ewyk/detail/watch/cpu_sentinel.hpp>

#include <algorithm>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL cpu_sentinel* cpu_sentinel::call(int cpu, watchdog_sleep& news)
{
    if (static_cast<std::size_t>(cpu) >= cpus)
        return nullptr;
    std::atomic<cpu_sentinel*>& place = places_[cpu].of;
    cpu_sentinel* one = place.load();
    if (!one)
        place.store(one = new cpu_sentinel(cpu, news));
    one->needed_until_.store(after(patience));
    if (!one->thread_.joinable())
    {
        one->stop_.store(false);
        block_signals blocked; // the watchdog has called what may have unblocked some
        one->thread_ = std::thread([one] { one->work(); });
    }
    else if (one->sleeps_.load())
        one->sleep_.unpark();
    return one;
}

// With any CPU, and as a normal thread if the system allows that: others wait for it.
ASIO_EWYK_DECL ASIO_EWYK_COLD void cpu_sentinel::leave() noexcept
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

ASIO_EWYK_DECL void cpu_sentinel::wake(sentinel_place& here) noexcept
{
    if (here.waits.exchange(false))
        here.of.load()->sleep_.unpark();
}

ASIO_EWYK_DECL bool cpu_sentinel::sees_task(
    watched_lease const* l, lease::sight const& s) const noexcept
{
    return l && s.leased && s.what != lease::activity::polls && s.cpu == cpu_
        && !(l == known_ && s.which == known_number_ && s.what == known_what_);
}

ASIO_EWYK_DECL void cpu_sentinel::work() noexcept
{
    name_this_thread("ewyk-sentinel", static_cast<std::size_t>(cpu_));
    id_.store(this_thread_id());
    if (!become_idle_class())
        return refused_.store(true);
    if (cpu_mask::only(cpu_).apply() != 0)
        return; // that it runs would say nothing
    cpu_offer const idle(cpu_);
    sentinel_place& place = places_[cpu_];
    auto const look = [&](watched_lease*& l) {
        l = place.last.load(std::memory_order_acquire);
        return l ? l->right.look() : lease::sight{};
    };
    while (!stop_.load())
    {
        watched_lease* l = nullptr;
        if (auto const s = look(l); sees_task(l, s))
        {
            if (outlasts_grace(*l, s.which) && !tell(*l, l->right.look()))
                sleep_.park_until(after(pause)); // the thread runs elsewhere
            continue;
        }
        time_point const now = std::chrono::steady_clock::now();
        bool const waits = now < needed_until_.load();
        (waits ? place.waits : sleeps_).store(true);
        auto const s = look(l);
        if (!sees_task(l, s) && waits == (now < needed_until_.load()))
        {
            if (!waits)
                probe_.close();
            sleep_.park_until(waits ? now + longest_sleep : forever);
        }
        place.waits.store(false);
        sleeps_.store(false);
    }
    probe_.close();
}

// A thread that sleeps on a lock, in nothing that is marked, waits for a condition. False if the
// thread runs.
ASIO_EWYK_DECL bool cpu_sentinel::tell(watched_lease& l, lease::sight const& s) noexcept
{
    auto const thread = probe_.of(s.producer);
    if (thread == thread_probe::state::runs)
        return false;
    known_ = &l;
    known_number_ = s.which;
    known_what_ = s.what;
    if (thread == thread_probe::state::unknown
        || (s.what == lease::activity::unknown && thread != thread_probe::state::blocks))
        return true;
    needed_until_.store(after(patience));
    l.tell(s.which, thread);
    told_of_.store(&l);
    news_.unpark_here();
    return true;
}

// Whether that lease is still the same after the grace. Yields for a short one, and pauses through
// a long one, or it would keep an idle core busy; unless another task begins here meanwhile. A
// yield lasts for as long as the producer wants this CPU.
ASIO_EWYK_DECL bool cpu_sentinel::outlasts_grace(watched_lease const& l, lease::number n) noexcept
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
            || (now >= yields_until && places_[cpu_].last.load() != &l))
            return false;
        now = std::chrono::steady_clock::now();
    } while (now < end);
    return true;
}

} // namespace asio_ewyk::detail

#endif
