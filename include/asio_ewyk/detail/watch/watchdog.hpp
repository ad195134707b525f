// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_WATCHDOG_HPP
#define ASIO_EWYK_DETAIL_WATCH_WATCHDOG_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/watch/back_off.hpp>
#include <asio_ewyk/detail/watch/cpu_sentinel.hpp>
#include <asio_ewyk/detail/watch/watchdog_sleep.hpp>
#include <asio_ewyk/detail/watch/watched_lease.hpp>

#include <boost/config.hpp>
#include <boost/intrusive/set.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace asio_ewyk::detail {

class watchdog;

// What the watchdog checks.
class watchdog_client : public boost::intrusive::set_base_hook<>
{
public:
    // Called by the watchdog's thread when the client is due. Returns when it is due again;
    // forever: after wake().
    virtual time_point on_timer(time_point now) noexcept = 0;

    friend bool operator<(watchdog_client const& a, watchdog_client const& b) noexcept
    {
        return a.due_ < b.due_;
    }

protected:
    ~watchdog_client() = default;

private:
    friend watchdog;
    std::atomic<bool> woken_{false};        // is in watchdog::woken_, or about to be
    watchdog_client* next_woken_ = nullptr; // written by the thread that has set woken_
    watched_lease* lease_ = nullptr;        // guarded by mutex_, as the next one
    time_point due_ = forever;
};

// A thread of normal priority, one for the process, that checks its clients. Sleeps until a client
// is due, or a producer or a sentinel wakes it; ends with its last client, after the sentinels.
// (Go's is called sysmon.)
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

    // Starts no thread: wake() does. `may_ask`: whether the watchdog may ask the system to be a
    // normal thread, on any CPU. The client is due at once when a sentinel tells of the lease.
    void add(client& c, bool may_ask = true, watched_lease* lease = nullptr) noexcept;

    // Waits until the watchdog does not call the client any more. Not from on_timer().
    void remove(client& c) noexcept;

    // Any thread: the client is due now. Takes no lock if the watchdog has a thread already. False
    // if there is none, and the system refuses one: then the client is due when a thread begins.
    bool wake(client& c) noexcept;

    // In on_timer(): the sentinel of that CPU is needed for a while.
    void activate_sentinel(int cpu) noexcept;

    // In on_timer(): has the watchdog call f() when it holds no lock, as f() may take long. False
    // on any other thread.
    using function = void (*)();
    static bool call_later(function f) noexcept
    {
        if (calls_)
            *calls_ = f;
        return calls_;
    }

    // Whether the watchdog has a thread.
    bool running() const noexcept { return running_.load(); }

    // Whether the system has refused that thread a normal priority.
    bool normal_priority_refused() const noexcept { return normal_priority_refused_.load(); }

private:
    watchdog();

    bool mark(client& c) noexcept;
    void end_if_unused() noexcept;
    void start_for_woken() noexcept;
    void take_woken() noexcept;
    void reschedule(client& c, time_point until) noexcept;
    time_point check_due(time_point now) noexcept;
    bool start() noexcept;
    void thread_main() noexcept;
    static void fork_prepare() noexcept;
    static void fork_parent() noexcept;
    static void fork_child() noexcept;

    // Held while the thread is started or ends, so that two never share sleep_. Before mutex_.
    std::mutex thread_mutex_;
    std::thread thread_; // guarded by thread_mutex_

    // Held while clients are checked, which takes microseconds.
    std::mutex mutex_;
    boost::intrusive::multiset<client> clients_; // by due_; guarded by mutex_

    // Later times are rounded to multiples of this, so that the watchdog wakes once for several
    // clients.
    static constexpr std::chrono::milliseconds coarse{50};

    // The clients that were woken, the last one first. Any thread pushes; the watchdog's thread or
    // remove() takes all at once. Sequentially consistent: Dekker with running_; and the check sees
    // what a thread has done before it woke the client.
    std::atomic<client*> woken_{nullptr};

    std::vector<cpu_sentinel*> sentinels_; // guarded by mutex_, as the next one
    back_off sentinel_pause_;

    // Where the watchdog's thread finds the function that it is to call; null on other threads.
    static inline thread_local function* calls_ = nullptr;

    watchdog_sleep sleep_;

    // Written under thread_mutex_. Whether there is a thread that takes the clients from woken_: a
    // thread that has pushed a client and reads false starts one, or leaves that to the thread that
    // holds the mutex.
    std::atomic<bool> running_{false};
    std::atomic<bool> ending_{false};                  // the thread is to end
    std::atomic<bool> may_ask_{true};                  // once false, for good; written under mutex_
    std::atomic<bool> normal_priority_refused_{false}; // written by the watchdog's thread
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/watch/watchdog.ipp>
#endif

#endif
