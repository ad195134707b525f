// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_WATCHDOG_HPP
#define ASIO_EWYK_DETAIL_OS_WATCHDOG_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/parker.hpp>

#include <boost/config.hpp>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace asio_ewyk::detail {

// A thread of normal priority, one for the process, that looks after its clients. It sleeps until
// the next look is due; if none is, it sleeps until it is woken. It ends with its last client.
// (Go calls its own sysmon.)
//
// Never destroyed: contexts may outlive every static object.
class BOOST_SYMBOL_VISIBLE watchdog
{
public:
    class client
    {
    public:
        // By the watchdog's thread. Returns when the next look is due; forever: after wake().
        virtual time_point look(time_point now) noexcept = 0;

    protected:
        ~client() = default;

    private:
        friend watchdog;
        std::atomic<bool> woken_{false};
        time_point due_ = forever; // guarded by mutex_
        client* next_ = nullptr;   // guarded by mutex_
    };

    // Throws std::bad_alloc.
    static watchdog& instance();

    watchdog(watchdog const&) = delete;
    watchdog& operator=(watchdog const&) = delete;

    // Starts no thread: wake() does.
    void add(client& c) noexcept;

    // Waits for a look that is under way. Not from a look.
    void remove(client& c) noexcept;

    // Any thread: has the watchdog look at that client soon. Takes no lock if there is a thread
    // already. A thread of idle priority may call it, and must not start a thread. Returns whether
    // there is one.
    bool wake(client& c, bool may_start = true) noexcept;

    // Likewise, but starts no thread; false if there is none.
    bool wake_running(client& c) noexcept;

    // Likewise, for a thread that may hold a lock which a fork under way waits for. False if there
    // is no thread, since the system refuses one, or the lock is taken. Then the next wake() or
    // try_wake() of any client has it look, if one comes.
    bool try_wake(client& c) noexcept;

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

private:
    watchdog();

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
    client* clients_ = nullptr; // guarded by mutex_

    // While it calls what it was told to, it holds no lock.
    bool calling_ = false; // guarded by mutex_
    std::condition_variable called_;

    // What its thread is to call; null on other threads.
    static inline thread_local std::function<void()> const** calls_ = nullptr;

    parker sleep_;

    // Written under life_mutex_. Sequentially consistent, though late values cost a look only.
    std::atomic<bool> running_{false};
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/os/watchdog.ipp>
#endif

#endif
