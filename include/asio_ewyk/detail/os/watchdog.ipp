// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_WATCHDOG_IPP
#define ASIO_EWYK_DETAIL_OS_WATCHDOG_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/cpu_binding.hpp>
#include <asio_ewyk/detail/os/scheduling.hpp>
#include <asio_ewyk/detail/os/signals.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/os/watchdog.hpp>

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

ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::add(client& c, bool asks) noexcept
{
    std::lock_guard const lock(mutex_);
    if (!asks)
        asks_.store(false);
    c.next_ = std::exchange(clients_, &c);
    c.added_ = true;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::remove(client& c) noexcept
{
    {
        std::unique_lock lock(mutex_);
        client** link = &clients_;
        while (*link != &c)
            link = &(*link)->next_;
        *link = c.next_;
        take_woken();
        erase(c);
        c.added_ = false;
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

ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::end_if_unused() noexcept
{
    std::lock_guard const life(life_mutex_);
    {
        std::lock_guard const lock(mutex_);
        // Who waits until it has called that ends it then.
        if (clients_ || calling_ || !thread_.joinable())
            return;
        // Under the lock: one that is added from now on is looked after by another thread.
        running_.store(false);
        ending_.store(true);
    }
    sleep_.unpark();
    thread_.join();
}

// Starts a thread for clients that were woken by threads that may not start one.
ASIO_EWYK_DECL void watchdog::start_for_woken() noexcept
{
    while (woken_.load() && !running_.load()) [[unlikely]]
    {
        std::lock_guard const life(life_mutex_);
        std::unique_lock lock(mutex_);
        if (!clients_)
        {
            take_woken(); // of those that are no longer added
            continue;
        }
        lock.unlock();
        if (!start())
            return;
    }
}

// False if it was marked already.
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
        if (c->added_)
        {
            erase(*c);
            c->due_ = time_point::min();
            insert(soon_, *c);
        }
        // Before the look, so that one that is woken meanwhile is looked at once more. An exchange:
        // what a thread has done that found the mark is seen, too.
        c->woken_.exchange(false);
        c = next;
    }
    // The one that it was to wake for may be up now.
    if (!later_)
        later_due_ = forever;
}

ASIO_EWYK_DECL void watchdog::insert(client*& list, client& c) noexcept
{
    c.next_due_ = list;
    if (list)
        list->link_ = &c.next_due_;
    list = &c;
    c.link_ = &list;
}

ASIO_EWYK_DECL void watchdog::erase(client& c) noexcept
{
    if (!c.link_)
        return;
    *c.link_ = c.next_due_;
    if (c.next_due_)
        c.next_due_->link_ = c.link_;
    c.link_ = nullptr;
}

// Under mutex_. Looks at those that are due, until there is something to call.
ASIO_EWYK_DECL void watchdog::look_at_those_of(client*& list, time_point now) noexcept
{
    for (client* c = list; c && !*calls_;)
    {
        client* const following = c->next_due_;
        bool soon = &list == &soon_;
        if (c->due_ <= now)
        {
            erase(*c);
            c->due_ = c->look(now);
            soon = c->due_ - now < 2 * coarse;
            if (!soon && c->due_ != forever)
                c->due_ -= c->due_.time_since_epoch() % coarse;
            if (c->due_ != forever)
                insert(soon ? soon_ : later_, *c);
        }
        time_point& next = soon ? soon_due_ : later_due_;
        next = std::min(next, c->due_);
        c = following;
    }
}

// No lost wake-up: the client is marked before the thread is woken, and the thread takes the mark
// away before it looks. If the thread is about to sleep, its parker keeps the signal. Where there
// is none, the next one begins with what is marked.
ASIO_EWYK_DECL bool watchdog::wake(client& c, bool may_start) noexcept
{
    bool const marked = mark(c);
    if (running_.load())
    {
        if (marked)
            sleep_.unpark();
        return true;
    }
    if (!may_start)
        return false;
    std::lock_guard const life(life_mutex_);
    return start();
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
        // A thread that may not start one may have seen none, and the new one may have missed its
        // mark.
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
    std::function<void()> const* call = nullptr;
    calls_ = &call;
    while (!ending_.load())
    {
        time_point next = forever;
        {
            std::unique_lock lock(mutex_);
            time_point const now = std::chrono::steady_clock::now();
            take_woken();
            soon_due_ = forever;
            if (later_due_ <= now)
            {
                later_due_ = forever;
                look_at_those_of(later_, now);
            }
            look_at_those_of(soon_, now);
            next = std::min(soon_due_, later_due_);
            if (call)
            {
                later_due_ = now; // it has not looked at all
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
    ::new (&self.sleep_) parker;
    self.calling_ = false;
    self.running_.store(false);
    for (client* c = self.woken_.exchange(nullptr); c; c = c->next_woken_)
        c->woken_.store(false);
    self.soon_ = self.later_ = nullptr;
    self.later_due_ = forever;
    // Another thread may have marked one that it had not pushed yet.
    for (client* c = self.clients_; c; c = c->next_)
    {
        c->woken_.store(false);
        c->link_ = nullptr;
    }
    self.mutex_.unlock();
    self.life_mutex_.unlock();
}

} // namespace asio_ewyk::detail

#endif
