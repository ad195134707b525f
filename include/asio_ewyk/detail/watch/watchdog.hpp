// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_WATCHDOG_HPP
#define ASIO_EWYK_DETAIL_WATCH_WATCHDOG_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/back_off.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/watch/cpu_sentinel.hpp>
#include <asio_ewyk/detail/watch/watchdog_sleep.hpp>
#include <asio_ewyk/detail/watch/watched_lease.hpp>

#include <boost/config.hpp>
#include <boost/intrusive/set.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace asio_ewyk::detail {

class watchdog;

// What the watchdog looks at.
class watchdog_client : public boost::intrusive::set_base_hook<>
{
public:
    // By the watchdog's thread. Returns when the next look is due; forever: after wake().
    virtual time_point look(time_point now) noexcept = 0;

    friend bool operator<(watchdog_client const& a, watchdog_client const& b) noexcept
    {
        return a.due_ < b.due_;
    }

protected:
    ~watchdog_client() = default;

private:
    friend watchdog;
    std::atomic<bool> woken_{false};        // it is among those that were woken, or about to be
    watchdog_client* next_woken_ = nullptr; // written by the thread that has set woken_
    watched_lease* lease_ = nullptr;        // guarded by mutex_, as the next one
    time_point due_ = forever;
};

// A thread of normal priority, one for the process, that looks at its clients. Sleeps until the
// next look is due, or a client or a sentinel wakes it. Ends with its last client, after the
// sentinels. (Go calls its own sysmon.)
//
// Never destroyed: contexts may outlive every static object.
class BOOST_SYMBOL_VISIBLE watchdog
{
public:
    using client = watchdog_client;

    // Throws std::bad_alloc.
    static watchdog& instance();

    watchdog(watchdog const&) = delete;
    watchdog& operator=(watchdog const&) = delete;

    // Starts no thread: wake() does. `asks`: whether that may ask the system for the class and
    // the CPUs of a normal one. The client looks when a sentinel tells something of the lease.
    void add(client& c, bool asks = true, watched_lease* lease = nullptr) noexcept;

    // Waits for a look that is under way. Not from a look.
    void remove(client& c) noexcept;

    // Any thread: has the watchdog look at that client soon. Takes no lock if there is a thread
    // already. Returns whether there is one; if not, it looks as soon as there is one.
    bool wake(client& c) noexcept;

    // In a look: there may be something to see for the sentinel of that CPU.
    void call_sentinel(int cpu) noexcept;

    // On the watchdog's thread: has it call f() when it holds no lock, so that f() may fork, or run
    // a context. f() lives until the client is removed that is looked at. False on another thread.
    static bool call_later(std::function<void()> const& f) noexcept
    {
        if (calls_)
            *calls_ = &f;
        return calls_;
    }

    // Whether it has a thread.
    bool running() const noexcept { return running_.load(); }

    // Whether the system has refused its thread to be a normal one.
    bool is_humble() const noexcept { return humble_.load(); }

private:
    watchdog();

    bool mark(client& c) noexcept;
    void end_if_unused() noexcept;
    void start_for_woken() noexcept;
    void take_woken() noexcept;
    void put_off(client& c, time_point until) noexcept;
    time_point look_at_due(time_point now) noexcept;
    bool start() noexcept;
    void work() noexcept;
    static void fork_prepare() noexcept;
    static void fork_parent() noexcept;
    static void fork_child() noexcept;

    // Held while the thread is started or ends, so that two never share sleep_. Before mutex_.
    std::mutex life_mutex_;
    std::thread thread_; // guarded by life_mutex_

    // Held while it looks, which takes microseconds.
    std::mutex mutex_;
    boost::intrusive::multiset<client> clients_; // by time; guarded by mutex_

    // Times that are not soon are multiples of that: so it wakes once for several clients.
    static constexpr std::chrono::milliseconds coarse{50};

    // The clients that were woken, the last one first. Pushed by any thread, taken all at once by
    // the watchdog's or by remove(). Sequentially consistent: Dekker with running_, and what a
    // thread has done before it woke a client is seen by the look.
    std::atomic<client*> woken_{nullptr};

    // While it calls what it was told to, it holds no lock.
    bool calling_ = false; // guarded by mutex_
    std::condition_variable called_;

    std::vector<cpu_sentinel*> sentinels_; // guarded by mutex_, as the next one
    back_off sentinel_pause_;

    // What its thread is to call; null on other threads.
    static inline thread_local std::function<void()> const** calls_ = nullptr;

    watchdog_sleep sleep_;

    // Written under life_mutex_. Whether there is a thread that takes what is marked: a thread that
    // has marked one and reads false starts one itself, or leaves that to others.
    std::atomic<bool> running_{false};
    std::atomic<bool> ending_{false}; // its thread is to end
    std::atomic<bool> asks_{true};    // once false, for good; written under mutex_
    std::atomic<bool> humble_{false}; // written by its thread
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/watch/watchdog.ipp>
#endif

#endif
