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
#include <chrono>
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
        std::atomic<bool> woken_{false}; // it is among those that were woken, or about to be
        client* next_woken_ = nullptr;   // written by the thread that has set woken_
        bool added_ = false;             // guarded by mutex_, as the rest
        time_point due_ = forever;
        client* next_ = nullptr;
        client* next_due_ = nullptr;
        client** link_ = nullptr; // what points to it in soon_ or later_; null: nothing does
    };

    // Throws std::bad_alloc.
    static watchdog& instance();

    watchdog(watchdog const&) = delete;
    watchdog& operator=(watchdog const&) = delete;

    // Starts no thread: wake() does. `asks`: whether that may ask the system for the class and
    // the CPUs of a normal one.
    void add(client& c, bool asks = true) noexcept;

    // Waits for a look that is under way. Not from a look.
    void remove(client& c) noexcept;

    // Any thread: has the watchdog look at that client soon. Takes no lock if there is a thread
    // already. A thread of idle priority may call it, and must not start a thread. Returns whether
    // there is one; if not, it looks as soon as there is one.
    bool wake(client& c, bool may_start = true) noexcept;

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
    static void insert(client*& list, client& c) noexcept;
    static void erase(client& c) noexcept;
    void look_at_those_of(client*& list, time_point now) noexcept;
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

    // Those that it is to look at soon: few of many. Guarded by mutex_, as the next three.
    client* soon_ = nullptr;
    time_point soon_due_ = forever; // the first of them

    // Those that it is to look at in a while. Their times are multiples of `coarse`, so that it
    // wakes once for several, and seldom walks through all.
    static constexpr std::chrono::milliseconds coarse{50};
    client* later_ = nullptr;
    time_point later_due_ = forever;

    // Those that were woken, the last one first. Pushed by any thread, taken all at once by its own
    // or by remove(). Sequentially consistent: Dekker with running_, and what a thread has done
    // before it woke a client is seen by the look.
    std::atomic<client*> woken_{nullptr};

    // While it calls what it was told to, it holds no lock.
    bool calling_ = false; // guarded by mutex_
    std::condition_variable called_;

    // What its thread is to call; null on other threads.
    static inline thread_local std::function<void()> const** calls_ = nullptr;

    parker sleep_;

    // Written under life_mutex_. Whether there is a thread that takes what is marked: a thread that
    // has marked one and reads false starts one itself, or leaves that to others.
    std::atomic<bool> running_{false};
    std::atomic<bool> ending_{false}; // its thread is to end
    std::atomic<bool> asks_{true};    // once false, for good; written under mutex_
    std::atomic<bool> humble_{false}; // written by its thread
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/os/watchdog.ipp>
#endif

#endif
