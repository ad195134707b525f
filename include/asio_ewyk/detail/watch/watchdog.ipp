// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_WATCHDOG_IPP
#define ASIO_EWYK_DETAIL_WATCH_WATCHDOG_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/scheduling.hpp>
#include <asio_ewyk/detail/os/start_thread.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/watch/watchdog.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL ASIO_EWYK_COLD watchdog& watchdog::instance()
{
    static watchdog& one = *new watchdog;
    return one;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD watchdog::watchdog()
{
#if defined(ASIO_EWYK_HAS_PTHREAD)
    ::pthread_atfork(&fork_prepare, &fork_parent, &fork_child);
#endif
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::add(
    client& c, bool may_ask, watched_lease* lease) noexcept
{
    std::lock_guard const lock(mutex_);
    if (!may_ask)
        may_ask_.store(false);
    if ((c.lease_ = lease))
        lease->client = &c;
    c.due_ = forever;
    clients_.insert(c);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::remove(client& c) noexcept
{
    {
        std::lock_guard const lock(mutex_);
        take_woken();
        if (c.is_linked()) // else another thread was adding it at a fork, and this is the child
            clients_.erase(clients_.iterator_to(c));
        if (c.lease_)
            c.lease_->client = nullptr;
    }
    end_if_unused();
    start_for_woken();
}

// Starts the thread for clients that other threads have woken while this one had thread_mutex_.
ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::start_for_woken() noexcept
{
    while (woken_.load() && !running_.load()) [[unlikely]]
    {
        std::lock_guard const life(thread_mutex_);
        {
            std::lock_guard const lock(mutex_);
            if (clients_.empty())
                take_woken(); // clients that have been removed since
        }
        if (woken_.load() && !start())
            return;
    }
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::end_if_unused() noexcept
{
    std::lock_guard const life(thread_mutex_);
    {
        std::lock_guard const lock(mutex_);
        if (!clients_.empty() || !thread_.joinable())
            return;
        // Under the lock: for a client that is added from now on another thread is started.
        running_.store(false);
        ending_.store(true);
    }
    sleep_.unpark();
    thread_.join();
}

// Any thread: pushes a client that was woken. False if it was pushed already.
ASIO_EWYK_DECL bool watchdog::mark(client& c) noexcept
{
    if (c.woken_.exchange(true))
        return false;
    c.next_woken_ = woken_.load(std::memory_order_relaxed);
    while (!woken_.compare_exchange_weak(c.next_woken_, &c))
    {
    }
    return true;
}

// Under mutex_: the clients that were woken, or whose lease a sentinel tells of, are due now.
ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::take_woken() noexcept
{
    client* c = woken_.exchange(nullptr);
    while (c)
    {
        client* const next = c->next_woken_;
        if (c->is_linked())
            reschedule(*c, time_point::min());
        // Before the check, so that a client that is woken meanwhile is checked once more. An
        // exchange, so that the check sees what a thread has done that found woken_ set.
        c->woken_.exchange(false);
        c = next;
    }
    for (cpu_sentinel* const s : sentinels_)
        if (watched_lease* const l = s->take_told(); l && l->client)
            reschedule(*l->client, time_point::min());
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::reschedule(client& c, time_point until) noexcept
{
    clients_.erase(clients_.iterator_to(c));
    c.due_ = until;
    clients_.insert(c);
}

// Under mutex_: checks the clients that are due, until there is a function to call. Returns when
// the next client is due.
ASIO_EWYK_DECL ASIO_EWYK_COLD time_point watchdog::check_due(time_point now) noexcept
{
    while (!clients_.empty() && clients_.begin()->due_ <= now && !*calls_)
    {
        client& c = *clients_.begin();
        time_point due = std::max(c.on_timer(now), now + std::chrono::nanoseconds(1));
        if (due != forever && due - now >= 2 * coarse)
            due -= due.time_since_epoch() % coarse;
        reschedule(c, due);
    }
    return clients_.empty() ? forever : clients_.begin()->due_;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::activate_sentinel(int cpu) noexcept
{
    if (cpu_sentinel::is_refused() || !sentinel_pause_.over())
        return;
    try
    {
        sentinels_.reserve(sentinels_.size() + 1);
        cpu_sentinel* const s = cpu_sentinel::activate(cpu, sleep_);
        if (s && std::find(sentinels_.begin(), sentinels_.end(), s) == sentinels_.end())
            sentinels_.push_back(s);
        sentinel_pause_.grant();
    }
    catch (...)
    {
        sentinel_pause_.refuse();
    }
}

// No lost wake-up: the client is pushed before the thread is woken, and the thread takes it before
// the check. If the thread is about to sleep, its parker keeps the signal. Where there is no
// thread, the next one begins with the clients that were pushed.
ASIO_EWYK_DECL bool watchdog::wake(client& c) noexcept
{
    bool const marked = mark(c);
    if (running_.load())
    {
        if (marked)
            sleep_.unpark();
        return true;
    }
    // A thread that holds the mutex starts the watchdog afterwards: see start_for_woken(). This
    // thread does not wait for that, which may itself wait for sentinels that get no CPU.
    std::unique_lock const life(thread_mutex_, std::try_to_lock);
    return !life || start();
}

// Under thread_mutex_. If the system refuses the thread, the next wake() tries again.
ASIO_EWYK_DECL ASIO_EWYK_COLD bool watchdog::start() noexcept
{
    if (running_.load())
    {
        sleep_.unpark();
        return true;
    }
    try
    {
        ending_.store(false);
        thread_ = start_thread([this] { thread_main(); });
        running_.store(true);
        // Another thread may have pushed a client after the new thread has looked, and before
        // running_ was set.
        sleep_.unpark();
        return true;
    }
    catch (...)
    {
        return false;
    }
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::thread_main() noexcept
{
    name_this_thread("ewyk-watchdog", 0);
    if (may_ask_.load())
        normal_priority_refused_.store(!become_normal()); // the starting thread may have another
    sleep_.set_thread(this_thread_id());
    function call = nullptr;
    calls_ = &call;
    while (!ending_.load())
    {
        time_point next = forever;
        {
            std::unique_lock lock(mutex_);
            time_point const now = std::chrono::steady_clock::now();
            take_woken();
            next = check_due(now);
            if (call)
            {
                lock.unlock();
                std::exchange(call, nullptr)();
                continue;
            }
        }
        sleep_.park_until(next);
    }
    sleep_.set_thread({});
    std::vector<cpu_sentinel*> ended;
    {
        std::lock_guard const lock(mutex_);
        ended.swap(sentinels_);
    }
    for (cpu_sentinel* const s : ended)
        s->request_end();
    for (cpu_sentinel* const s : ended)
        s->join();
    cpu_sentinel::reset_refusal();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::fork_prepare() noexcept
{
    instance().thread_mutex_.lock();
    instance().mutex_.lock();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::fork_parent() noexcept
{
    instance().mutex_.unlock();
    instance().thread_mutex_.unlock();
    instance().start_for_woken();
}

// The child has no watchdog; the first wake() starts one.
ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::fork_child() noexcept
{
    watchdog& self = instance();
    ::new (&self.thread_) std::thread; // the parent's can be neither joined nor detached
    ::new (&self.sleep_) watchdog_sleep;
    for (cpu_sentinel* const s : self.sentinels_)
        s->forget_thread();
    self.sentinels_.clear();
    cpu_sentinel::reset_refusal();
    self.running_.store(false);
    for (client* c = self.woken_.exchange(nullptr); c; c = c->next_woken_)
        c->woken_.store(false);
    // Another thread may have set woken_ of a client that it had not pushed yet.
    for (client& c : self.clients_)
    {
        c.woken_.store(false);
        c.due_ = forever;
    }
    self.mutex_.unlock();
    self.thread_mutex_.unlock();
}

} // namespace asio_ewyk::detail

#endif
