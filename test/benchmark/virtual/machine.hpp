// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_MACHINE_HPP
#define ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_MACHINE_HPP

#include "costs.hpp"
#include "routine.hpp"

#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/thread_probe.hpp>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace virtual_time {

using asio_ewyk::detail::forever;
using asio_ewyk::detail::time_point;
using thread_state = asio_ewyk::detail::thread_probe::state;

class machine;

/// A simulated thread. Its code runs in no time; what takes time, it awaits.
class thread
{
public:
    /// What the system tells of it: `runs`, or for what it sleeps.
    thread_state state() const noexcept { return at_ == place::asleep ? why_ : thread_state::runs; }

    /// CPU time that it has used. Exact for the thread itself.
    duration used() const noexcept { return used_; }

    /// The core that it runs on, or has run on last.
    int core() const noexcept { return core_; }

    /// What it pays before it goes on. For functions that are no routines.
    void charge(duration cost) noexcept { owed_ += cost; }

private:
    friend machine;

    enum class place
    {
        ready,
        running,
        asleep,
        over,
    };

    std::function<routine<>(thread&)> function_; // what body_ refers to
    routine<> body_;
    std::coroutine_handle<> next_;
    place at_ = place::ready;
    thread_state why_ = thread_state::runs;
    int core_ = 0;
    duration left_{}; // of what it awaits
    duration owed_{};
    duration used_{};
    duration fair_{}; // CPU time, as the scheduler compares it
    std::uint64_t sleep_ = 0;
    bool woken_ = false;
};

/** Some cores and the threads on them, in virtual time. No clock, no threads: the same each time.

    The scheduler is like Linux's: a queue for each core. A thread that wakes up goes to its last core
    if that is idle, to another idle one, or to the shortest queue; there it preempts a thread that
    has used much more CPU time. Threads of a queue take turns after a time slice, those that have
    used the least first. A core without threads takes one from the longest queue.
*/
class machine
{
public:
    struct options
    {
        int cores = 1;
        duration time_slice = std::chrono::milliseconds(3);
        duration wake_granularity = std::chrono::milliseconds(1); ///< for a thread that wakes up
        bool checks = false; ///< whether an idle core beside a thread that waits for one is counted
    };

    machine(options const& with, costs const& take);
    machine(machine const&) = delete;
    machine& operator=(machine const&) = delete;

    time_point now() const noexcept { return now_; }
    costs const& cost() const noexcept { return costs_; }
    int cores() const noexcept { return static_cast<int>(cores_.size()); }

    /// The thread whose code runs.
    thread& self() const noexcept { return *self_; }

    /// Starts a thread by a function that returns its body. A thread that calls this pays for it.
    thread& start(std::function<routine<>(thread&)> function);

    /// Runs everything that happens until then.
    void run_until(time_point end);

    /// CPU time of all threads.
    duration used() noexcept;

    /// When a core becomes idle, polls(core) says for how long it does not sleep: a thread that wakes
    /// up there meanwhile takes a switch only. Calls f(core) when it has been idle for so long.
    void when_idle(duration time, std::function<duration(int core)> polls,
        std::function<void(int core)> f);

    /// Has a thread go on that sleeps. False if it does not sleep. Also called from outside of all
    /// threads. `offered`: a core that is idle, where it may go on.
    bool wake(thread& t, int offered = -1);

    /// How often a core was idle while a thread waited for one; with options::checks.
    std::size_t violations() const noexcept { return violations_; }

    /// The present thread awaits CPU time.
    auto work(duration time)
    {
        struct awaited
        {
            thread& t;
            duration time;

            bool await_ready() const noexcept { return time + t.owed_ <= duration::zero(); }
            void await_suspend(std::coroutine_handle<> next) const noexcept
            {
                t.next_ = next;
                t.left_ = time + std::exchange(t.owed_, duration::zero());
            }
            void await_resume() const noexcept {}
        };
        return awaited{*self_, time};
    }

    /// The present thread sleeps until wake(), or until then. Returns whether it was woken.
    auto sleep_until(time_point then, thread_state why)
    {
        struct awaited
        {
            machine& m;
            thread& t;
            time_point then;
            thread_state why;

            bool await_ready() const noexcept { return false; }
            void await_suspend(std::coroutine_handle<> next) const { m.fall_asleep(t, next, then, why); }
            bool await_resume() const noexcept { return t.woken_; }
        };
        return awaited{*this, *self_, then, why};
    }

    /// As std::this_thread::sleep_for().
    auto sleep_for(duration time) { return sleep_until(now_ + time, thread_state::blocks); }

private:
    struct core
    {
        thread* current = nullptr;
        time_point since{};     // the current thread has been charged until then
        time_point slice_end{};
        std::uint64_t event = 0; // the valid one
        duration least{};        // of fair_
        time_point polls_until{}; // where it is idle
        std::vector<thread*> ready;
    };

    struct event
    {
        time_point at;
        std::uint64_t order; // of what happens at the same time
        thread* sleeper;     // null: of a core
        int core;
        std::uint64_t number;

        friend bool operator>(event const& a, event const& b) noexcept
        {
            return a.at != b.at ? a.at > b.at : a.order > b.order;
        }
    };

    void push(time_point at, thread* sleeper, int number, std::uint64_t event_number);
    void fall_asleep(thread& t, std::coroutine_handle<> next, time_point then, thread_state why);
    void make_ready(thread& t);
    void switch_to(int c, thread& t, duration cost);
    void schedule(int c);
    void account(core& c) noexcept;
    void on_core(int c);
    void resume(int c);
    void next_thread(int c);
    thread* take_ready(int c);
    thread* steal(int c);
    static thread* take_least(core& from);
    void check();

    options const options_;
    costs const costs_;
    time_point now_{std::chrono::hours(1)};
    thread* self_ = nullptr;
    std::deque<thread> threads_;
    std::vector<core> cores_;
    std::priority_queue<event, std::vector<event>, std::greater<>> events_;
    std::uint64_t order_ = 0;
    duration idle_time_ = duration::max();
    std::function<duration(int core)> polls_;
    std::function<void(int core)> when_idle_;
    std::size_t violations_ = 0;
};

} // namespace virtual_time

#endif
