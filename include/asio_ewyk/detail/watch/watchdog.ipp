// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_WATCHDOG_IPP
#define ASIO_EWYK_DETAIL_WATCH_WATCHDOG_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/cpu_binding.hpp>
#include <asio_ewyk/detail/os/scheduling.hpp>
#include <asio_ewyk/detail/os/signals.hpp>
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
    client& c, bool asks, watched_lease* lease) noexcept
{
    std::lock_guard const lock(mutex_);
    if (!asks)
        asks_.store(false);
    if ((c.lease_ = lease))
        lease->client = &c;
    c.due_ = forever;
    clients_.insert(c);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::remove(client& c) noexcept
{
    {
        std::unique_lock lock(mutex_);
        take_woken();
        if (c.is_linked()) // not so in the child of a fork, if it was just added
            clients_.erase(clients_.iterator_to(c));
        if (c.lease_)
            c.lease_->client = nullptr;
        // What it calls may destroy another context. Then the thread does not end with the last
        // client.
        if (calls_)
            return;
        // What it calls may be the client's.
        called_.wait(lock, [this] { return !calling_; });
    }
    end_if_unused();
    start_for_woken();
}

// Starts the thread for clients that were woken while another thread had the lock.
ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::start_for_woken() noexcept
{
    while (woken_.load() && !running_.load()) [[unlikely]]
    {
        std::lock_guard const life(life_mutex_);
        {
            std::lock_guard const lock(mutex_);
            if (clients_.empty())
                take_woken(); // of those that are no longer added
        }
        if (woken_.load() && !start())
            return;
    }
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::end_if_unused() noexcept
{
    std::lock_guard const life(life_mutex_);
    {
        std::lock_guard const lock(mutex_);
        // Who waits until it has called that ends it then.
        if (!clients_.empty() || calling_ || !thread_.joinable())
            return;
        // Under the lock: a client that is added from now on has another thread.
        running_.store(false);
        ending_.store(true);
    }
    sleep_.unpark();
    thread_.join();
}

// False if the client was marked already.
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

// Under mutex_. They are due now.
ASIO_EWYK_DECL void watchdog::take_woken() noexcept
{
    client* c = woken_.exchange(nullptr);
    while (c)
    {
        client* const next = c->next_woken_;
        if (c->is_linked())
            put_off(*c, time_point::min());
        // Before the look, so that one that is woken meanwhile is looked at once more. An exchange:
        // what a thread has done that found the mark is seen, too.
        c->woken_.exchange(false);
        c = next;
    }
    for (cpu_sentinel* const s : sentinels_)
        if (watched_lease* const l = s->take_news(); l && l->client)
            put_off(*l->client, time_point::min());
}

ASIO_EWYK_DECL void watchdog::put_off(client& c, time_point until) noexcept
{
    clients_.erase(clients_.iterator_to(c));
    c.due_ = until;
    clients_.insert(c);
}

// Under mutex_. Looks at the clients that are due, until there is something to call. When the next
// look is due.
ASIO_EWYK_DECL time_point watchdog::look_at_due(time_point now) noexcept
{
    while (!clients_.empty() && clients_.begin()->due_ <= now && !*calls_)
    {
        client& c = *clients_.begin();
        time_point due = std::max(c.look(now), now + std::chrono::nanoseconds(1));
        if (due != forever && due - now >= 2 * coarse)
            due -= due.time_since_epoch() % coarse;
        put_off(c, due);
    }
    return clients_.empty() ? forever : clients_.begin()->due_;
}

ASIO_EWYK_DECL void watchdog::call_sentinel(int cpu) noexcept
{
    if (cpu_sentinel::is_refused() || !sentinel_pause_.over())
        return;
    try
    {
        sentinels_.reserve(sentinels_.size() + 1);
        cpu_sentinel* const s = cpu_sentinel::call(cpu, sleep_);
        if (s && std::find(sentinels_.begin(), sentinels_.end(), s) == sentinels_.end())
            sentinels_.push_back(s);
        sentinel_pause_.grant();
    }
    catch (...)
    {
        sentinel_pause_.refuse();
    }
}

// No lost wake-up: the client is marked before the thread is woken, and the thread takes the mark
// away before it looks. If the thread is about to sleep, its parker keeps the signal. Where there
// is none, the next one begins with what is marked.
ASIO_EWYK_DECL bool watchdog::wake(client& c) noexcept
{
    bool const marked = mark(c);
    if (running_.load())
    {
        if (marked)
            sleep_.unpark();
        return true;
    }
    // Who has the lock starts it, also when it has just ended: that may wait for sentinels that get
    // no CPU.
    std::unique_lock const life(life_mutex_, std::try_to_lock);
    return !life || start();
}

// Under life_mutex_. If the system refuses, the next wake() tries again.
ASIO_EWYK_DECL ASIO_EWYK_COLD bool watchdog::start() noexcept
{
    if (running_.load())
    {
        sleep_.unpark();
        return true;
    }
    try
    {
        block_signals blocked;
        unbound from_cpu;
        ending_.store(false);
        thread_ = std::thread([this] { work(); });
        running_.store(true);
        // A thread that has marked a client may have seen none, and the new one missed the mark.
        sleep_.unpark();
        return true;
    }
    catch (...)
    {
        return false;
    }
}

ASIO_EWYK_DECL void watchdog::work() noexcept
{
    name_this_thread("ewyk-watchdog", 0);
    if (asks_.load())
        humble_.store(!become_normal()); // whatever the thread is that has started it
    sleep_.belongs_to(this_thread_id());
    std::function<void()> const* call = nullptr;
    calls_ = &call;
    while (!ending_.load())
    {
        time_point next = forever;
        {
            std::unique_lock lock(mutex_);
            time_point const now = std::chrono::steady_clock::now();
            take_woken();
            next = look_at_due(now);
            if (call)
            {
                calling_ = true;
                lock.unlock();
                (*std::exchange(call, nullptr))();
                lock.lock();
                calling_ = false;
                called_.notify_all();
                continue;
            }
        }
        sleep_.park_until(next);
    }
    sleep_.belongs_to({});
    std::vector<cpu_sentinel*> ended;
    {
        std::lock_guard const lock(mutex_);
        ended.swap(sentinels_);
    }
    for (cpu_sentinel* const s : ended)
        s->leave();
    for (cpu_sentinel* const s : ended)
        s->join();
    cpu_sentinel::ask_again();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::fork_prepare() noexcept
{
    instance().life_mutex_.lock();
    instance().mutex_.lock();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::fork_parent() noexcept
{
    instance().mutex_.unlock();
    instance().life_mutex_.unlock();
    instance().start_for_woken();
}

// The child has no watchdog; the first wake() starts one.
ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::fork_child() noexcept
{
    watchdog& self = instance();
    ::new (&self.thread_) std::thread; // what it was cannot be joined, nor detached
    // Threads may have waited, which a condition would go on waiting for.
    ::new (&self.called_) std::condition_variable;
    ::new (&self.sleep_) watchdog_sleep;
    self.calling_ = false;
    for (cpu_sentinel* const s : self.sentinels_)
        s->forget_thread();
    self.sentinels_.clear();
    cpu_sentinel::ask_again();
    self.running_.store(false);
    for (client* c = self.woken_.exchange(nullptr); c; c = c->next_woken_)
        c->woken_.store(false);
    // Another thread may have marked one that it had not pushed yet.
    for (client& c : self.clients_)
    {
        c.woken_.store(false);
        c.due_ = forever;
    }
    self.mutex_.unlock();
    self.life_mutex_.unlock();
}

} // namespace asio_ewyk::detail

#endif
