// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What watches a lease: a task that blocks is noticed, also where it begins as the watchdog falls
// asleep, where nothing marks it and nobody gives a sign of life, and where only a sentinel tells of
// it.

// Has its own.
#define ASIO_EWYK_DETAIL_OS_THREAD_PROBE_HPP
#define ASIO_EWYK_DETAIL_WATCH_CPU_SENTINEL_HPP

#include "check.hpp"
#include "stand_ins.hpp"
#include "checked_futex.hpp"

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/watch/awake_time.hpp>
#include <asio_ewyk/detail/watch/check_interval.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

// Stands for time, which passes with each look at the clock, and for what the system tells of threads.

namespace weak_memory {

inline std::chrono::steady_clock::time_point moment;
inline std::chrono::nanoseconds tick;
inline bool blocks = false;  // the producer, as the system tells it
inline bool wakes_first = false;

}

namespace checked {

namespace chrono {

using namespace ::std::chrono;

struct steady_clock
{
    using time_point = ::std::chrono::steady_clock::time_point;
    static time_point now() noexcept { return weak_memory::moment += weak_memory::tick; }
};

}

namespace this_thread {

inline void yield() noexcept { weak_memory::yield(); }

}

}

#define ASIO_EWYK_DETAIL_WATCH_WATCHDOG_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_RECORD_LIST_HPP

namespace asio_ewyk::detail {

class thread_probe
{
public:
    enum class state
    {
        unknown,
        runs,
        polls,
        locks,
        blocks,
    };

    static constexpr bool tells_now = true;
    void close() noexcept {}
    state of(thread_id) noexcept { return weak_memory::blocks ? state::blocks : state::runs; }
};

inline bool may_ask_for_class() noexcept { return true; }

struct cpu_offer
{
    explicit cpu_offer(int) noexcept {}
    ~cpu_offer() {}
};

}

#define std checked
#define syscall checked_futex
#include <asio_ewyk/detail/os/futex_parker.hpp>

namespace asio_ewyk::detail {

// One that the scenario has.
template <class Record>
struct record_list
{
    static Record* unused() noexcept { return one; }
    static Record* add() noexcept { return one; }
    static inline Record* one = nullptr;
    std::atomic<bool> used_{false};
};

}

#include <asio_ewyk/detail/watch/watched_lease.hpp>

namespace asio_ewyk::detail {

struct cpu_sentinel
{
    static void publish(watched_lease&) noexcept {}
    static bool is_refused() noexcept { return false; }
};

// Its thread is one of the scenario's.
class watchdog
{
public:
    class client
    {
    public:
        virtual time_point on_timer(time_point now) noexcept = 0;

    protected:
        ~client() = default;
    };

    static watchdog& instance() { return *one; }
    void add(client& c, bool, watched_lease*) { client_.store(&c); }
    bool normal_priority_refused() const noexcept { return false; }
    void activate_sentinel(int) noexcept {}
    thread_probe& probe() noexcept { return probe_; }
    void remove(client&) noexcept {}
    bool wake(client&) noexcept
    {
        sleep_.unpark();
        return true;
    }

    // Until it is ended.
    void work()
    {
        for (time_point next = forever; !ended_.load();)
        {
            sleep_.park_until(next);
            if (client* const c = client_.load())
                next = c->on_timer(std::chrono::steady_clock::now());
        }
    }

    void end()
    {
        ended_.store(true);
        sleep_.unpark();
    }

    static inline watchdog* one = nullptr;

private:
    thread_probe probe_;
    futex_parker sleep_;
    std::atomic<client*> client_{nullptr};
    std::atomic<bool> ended_{false};
};

}

#include <asio_ewyk/detail/watch/lease_watch.hpp>
#undef syscall
#undef std

BOOST_AUTO_TEST_SUITE(lease_watch)

namespace {

using namespace weak_memory;
namespace detail = asio_ewyk::detail;
using detail::lease;

// A producer, one task after the other; each one blocks until it has been taken over.
struct observed : scenario, detail::lessor
{
    explicit observed(std::chrono::nanoseconds grace = std::chrono::microseconds(10))
        : watch((detail::record_list<detail::watched_lease>::one = &record,
                    detail::watchdog::one = &watchdog, *this),
              grace)
    {
        moment = {};
        // So that with the next check the grace is over.
        tick = std::chrono::seconds(1);
        blocks = true;
    }

    void take_over(lease::number n) noexcept override
    {
        if (right.end(n))
            taken.unpark();
    }

    void ask_for_sign() noexcept override {}
    bool has_sign() const noexcept override { return false; }
    bool is_alone() const noexcept override { return true; }
    bool is_lent(lease::snapshot const&) const noexcept override { return false; }
    void wake_owner() noexcept override {}
    bool on_check(detail::time_point, lease::snapshot const&, bool) noexcept override { return false; }
    void release(lease::number) noexcept override {}
    void enter_section(detail::call_frame&) noexcept override {}
    void leave_section(detail::call_frame&) noexcept override {}

    // `computes`: it takes a while until it blocks.
    void run_task(bool computes = false, bool marks = true)
    {
        blocks = !computes;
        if (wakes_first)
            watch.wake_if_asleep();
        lease::number n = 0;
        claim(right.acquire(n, false), "no other has it");
        if (marks)
            right.mark(n, lease::activity::busy);
        if (!wakes_first)
            watch.wake_if_asleep();
        if (computes)
        {
            for (int i = 0; i != 30; ++i)
                (void)right.read();
            blocks = true;
        }
        taken.park_until(detail::forever);
        claim(!right.end(n), "it was taken over");
    }

    detail::watched_lease record;
    lease& right = record.right;
    detail::futex_parker taken;
    detail::watchdog watchdog;
    detail::lease_watch watch;
};

template <int Tasks, bool Computes>
struct noticed : observed
{
    void thread(unsigned index) override
    {
        if (index == 1)
            return watchdog.work();
        for (int i = 0; i != Tasks; ++i)
            run_task(Computes);
        watchdog.end();
        watch.stop(true);
    }
};

// Waits are observed, so that nothing marks a handler that has not waited for I/O before.
struct unmarked : observed
{
    unmarked() { watch.observe_waits(); }

    void thread(unsigned index) override
    {
        if (index == 1)
            return watchdog.work();
        for (int i = 0; i != 2; ++i)
            run_task(false, false);
        watchdog.end();
        watch.stop(true);
    }
};

// The grace is endless, but not for the sentinel: what that tells is seen.
struct told : observed
{
    told()
        : observed(std::chrono::nanoseconds::max())
    {
    }

    void thread(unsigned index) override
    {
        if (index == 1)
            return watchdog.work();
        if (index == 0)
        {
            run_task();
            watchdog.end();
            return watch.stop(true);
        }
        lease::snapshot s;
        while (!(s = right.read()).leased || s.what != lease::activity::busy)
            checked::this_thread::yield();
        record.tell(s.which, detail::thread_probe::state::blocks);
        watchdog.wake((detail::watchdog::client&)watch); // which is nobody else's business
    }
};

std::vector<named_setup> const scenarios{
    {"two tasks", setup_of<noticed<2, false>>(2)},
    {"two tasks, which compute first", setup_of<noticed<2, true>>(2)},
    {"two tasks, and nothing is marked", setup_of<unmarked>(2)},
    {"a sentinel tells", setup_of<told>(3)},
};

}

BOOST_AUTO_TEST_CASE(notices_what_blocks)
{
    using enum std::memory_order;
    naps_take_time = true;
    check(scenarios);
    weaken(scenarios,
        {
            // Dekker: a producer that has marked a new lease reads whether the watchdog sleeps,
            // which says so and checks once more.
            {"lease_watch.hpp wake_if_asleep", access::load, seq_cst, seq_cst, "DEADLOCK"},
            {"lease_watch.ipp on_timer", access::store, seq_cst, seq_cst, "DEADLOCK"},
        });
}

// Whether the producer reads if the watchdog sleeps before it says what it does: then the watchdog
// may fall asleep in between, and the task is never late. That must be found; it is rare.
BOOST_AUTO_TEST_CASE(needs_the_mark_first)
{
    naps_take_time = true;
    wakes_first = true;
    auto const found = run(scenarios.front().what, 3'000'000);
    wakes_first = false;
    BOOST_TEST(found.wrong == "DEADLOCK");
    std::printf("weak memory: wake-up before mark, %s after %zu executions\n", found.wrong.c_str(), found.executions);
}

BOOST_AUTO_TEST_SUITE_END()
