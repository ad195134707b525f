// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_SIMULATION_MACHINE_HPP
#define ASIO_EWYK_TEST_BENCHMARK_SIMULATION_MACHINE_HPP

#include "costs.hpp"
#include "run_queue.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <random>
#include <vector>

namespace benchmark::simulation {

class machine;

/// What a thread does after it has computed for what it had to pay.
struct step
{
    enum class kind
    {
        go_on, // at once with what next() says
        sleep, // for `time`
        park,  // until unpark() is called, or until `time`
    };
    kind what = kind::go_on;
    duration time{};
};

/** A simulated thread: a state machine that is asked what comes next.

    What it does to others in next() happens at once, what that costs passes afterwards.
*/
class thread : private share
{
public:
    thread() = default;
    thread(thread const&) = delete;
    thread& operator=(thread const&) = delete;
    virtual ~thread() = default;

    /// It computes for so much longer before the step that next() returns.
    void pay(duration cost) { debt_ += cost; }

    duration cpu_time() const { return cpu_time_; }
    bool sleeps() const { return state_ == state::sleeping || state_ == state::parked; }

    /// On which it runs, or ran last.
    std::size_t core() const { return core_; }

    /// How often it gave up its core by itself.
    std::uint64_t switches() const { return switches_; }

protected:
    virtual step next() = 0;

    /// It sleeps from now on, and leaves its core idle.
    virtual void left_idle() {}

    /// Whether its timeouts are exact.
    void be_exact(bool exact) { exact_ = exact; }

private:
    friend machine;

    enum class state
    {
        created,
        ready, // runs, or waits for a core
        sleeping,
        parked,
    };

    state state_ = state::created;
    step pending_;
    duration debt_{}; // before that
    bool signalled_ = false; // by unpark(), before it parked
    bool exact_ = false;
    std::size_t core_ = 0;
    std::uint64_t version_ = 0; // a timer of an older one is void
    duration cpu_time_{};
    std::uint64_t switches_ = 0;
};

/** Cores, and a scheduler that does as Linux does with threads of one kind.

    - A thread that wakes gets the core that it had, if that is idle; else another idle one; else it
      shares the one that it had, unless fewer are on that of the thread that wakes it.
    - A thread that shares a core gets it by the rules of run_queue; that the time of one is over
      shows when the clock ticks.
    - A core that gets idle, or is when the clock of another one ticks, takes a thread that waits
      for another one, unless that has run there just now: its data are in the cache there.

    There is no chance in it: the same happens each time, also where times vary.

    @par Thread Safety
    Shared objects: unsafe.
*/
class machine
{
public:
    machine(std::size_t cores, costs const& c);

    costs const& cost() const { return cost_; }
    std::size_t cores() const { return cores_.size(); }
    duration now() const { return now_; }

    /// Not before this the thread does something. It must outlive all calls of run_until().
    void start(thread& t);

    /// Lets `by` pay for it, or none: what is outside of the machine.
    void unpark(thread& t, thread* by);

    /// That of a thread up to now, which may be running.
    duration cpu_time(thread const& t);

    /// As long as a thing takes that takes `usually` so long: a little more or less.
    duration vary(duration usually);

    /// Lets time pass.
    void run_until(duration end);

private:
    struct core
    {
        explicit core(duration slice)
            : queue(slice)
        {
        }

        run_queue queue; // with the one that runs
        thread* running = nullptr;
        duration charged_until{};  // of its debt; later than now while it wakes up
        std::uint64_t version = 0; // an event of an older one is void
    };

    struct event
    {
        duration at;
        std::uint64_t order; // of those at the same time
        std::uint64_t version;
        std::size_t core;
        thread* timer; // null: of the core
        auto key() const { return std::pair(at, order); }
        friend bool operator>(event const& a, event const& b) { return a.key() > b.key(); }
    };

    bool make_ready(thread& t, duration latency, thread const* by = nullptr);
    std::size_t place(thread const& t, thread const* by) const;
    void occupy(std::size_t at, thread& t, duration latency);
    void charge(core& c);
    void plan(std::size_t at);
    void happens(std::size_t at);
    void act(std::size_t at);
    void tick(std::size_t at);
    void block(std::size_t at, duration timeout);
    void switch_to(std::size_t at, thread& t);
    void pull(std::size_t at, duration latency);

    costs const cost_;
    duration now_{};
    std::vector<core> cores_;
    std::priority_queue<event, std::vector<event>, std::greater<>> events_;
    std::uint64_t order_ = 0;
    std::minstd_rand variation_;
};

} // namespace benchmark::simulation

#endif
