// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_WATCHDOG_IPP
#define ASIO_EWYK_DETAIL_OS_WATCHDOG_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/cpu_binding.hpp>
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

ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::add(client& c) noexcept
{
    std::lock_guard const lock(mutex_);
    c.next_ = std::exchange(clients_, &c);
    c.woken_.store(false);
    c.due_ = forever;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::remove(client& c) noexcept
{
    {
        std::unique_lock lock(mutex_);
        client** link = &clients_;
        while (*link != &c)
            link = &(*link)->next_;
        *link = c.next_;
        // What it calls may destroy another context. Then the thread does not end with the last
        // client.
        if (calls_)
            return;
        // What it calls may be the client's.
        called_.wait(lock, [this] { return !calling_; });
    }
    std::lock_guard const life(life_mutex_);
    {
        std::lock_guard const lock(mutex_);
        if (clients_ || !thread_.joinable())
            return;
        // Under the lock: one that is added from now on is looked after by another thread.
        running_.store(false);
    }
    sleep_.unpark();
    thread_.join();
}

// No lost wake-up: the flag is set before the thread is woken, and the thread clears it before it
// looks. If the thread is about to sleep, its parker keeps the signal.
ASIO_EWYK_DECL bool watchdog::wake(client& c, bool may_start) noexcept
{
    bool const marked = c.woken_.exchange(true);
    if (running_.load())
    {
        if (!marked)
            sleep_.unpark();
        return true;
    }
    if (may_start)
    {
        std::lock_guard const life(life_mutex_);
        return start();
    }
    c.woken_.store(false);
    return false;
}

ASIO_EWYK_DECL bool watchdog::wake_running(client& c) noexcept
{
    c.woken_.store(true);
    bool const running = running_.load();
    if (running)
        sleep_.unpark();
    return running;
}

ASIO_EWYK_DECL bool watchdog::try_wake(client& c) noexcept
{
    if (wake_running(c))
        return true;
    if (std::unique_lock const life(life_mutex_, std::try_to_lock); life)
        return start();
    // It stays marked: if another thread starts the watchdog just now, that looks at it. The thread
    // that starts it may have said so between the first look at running_ and the lock.
    return wake_running(c);
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
        running_.store(true);
        thread_ = std::thread([this] { work(); });
        return true;
    }
    catch (...)
    {
        running_.store(false);
        std::lock_guard const lock(mutex_);
        for (client* c = clients_; c; c = c->next_)
            c->woken_.store(false);
        return false;
    }
}

ASIO_EWYK_DECL void watchdog::work() noexcept
{
    name_this_thread("ewyk-watchdog", 0);
    std::function<void()> const* call = nullptr;
    calls_ = &call;
    while (running_.load())
    {
        time_point next = forever;
        {
            std::unique_lock lock(mutex_);
            time_point const now = std::chrono::steady_clock::now();
            for (client* c = clients_; c && !call; c = c->next_)
            {
                if (c->woken_.exchange(false) || c->due_ <= now)
                    c->due_ = c->look(now);
                next = std::min(next, c->due_);
            }
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
}

// The child has no watchdog; the first wake() starts one.
ASIO_EWYK_DECL ASIO_EWYK_COLD void watchdog::fork_child() noexcept
{
    watchdog& self = instance();
    ::new (&self.thread_) std::thread; // what it was cannot be joined, nor detached
    ::new (&self.called_) std::condition_variable; // a thread may have waited
    self.calling_ = false;
    self.running_.store(false);
    for (client* c = self.clients_; c; c = c->next_)
    {
        c->woken_.store(false);
        c->due_ = forever;
    }
    self.mutex_.unlock();
    self.life_mutex_.unlock();
}

} // namespace asio_ewyk::detail

#endif
