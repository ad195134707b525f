// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The sentinel and the watchdog's part of it: a task that blocks is noticed, also where it begins as they
// go to bed, and where nothing marks it and nobody gives a sign of life.

#include "check.hpp"
#include "stand_ins.hpp"
#include "checked_futex.hpp"

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/engine/look_interval.hpp>

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
inline bool refuses = false; // the idle class
inline bool alerts_first = false;

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

#define ASIO_EWYK_DETAIL_OS_THREAD_PROBE_HPP
#define ASIO_EWYK_DETAIL_OS_WATCHDOG_HPP

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
    state of(thread_id) noexcept { return weak_memory::blocks ? state::blocks : state::runs; }
};

inline bool may_ask_for_class() noexcept { return true; }
inline bool become_idle_class() noexcept { return !weak_memory::refuses; }
inline bool move_to_cpu(int) noexcept { return true; }

}

#define std checked
#define syscall checked_futex
#include <asio_ewyk/detail/os/futex_parker.hpp>

namespace asio_ewyk::detail {

// Its thread is one of the scenario's.
class watchdog
{
public:
    class client
    {
    public:
        virtual time_point look(time_point now) noexcept = 0;

    protected:
        ~client() = default;
    };

    static watchdog& instance() { return *one; }
    void add(client& c, bool) { client_.store(&c); }
    bool is_humble() const noexcept { return false; }
    void remove(client&) noexcept {}
    bool wake(client&, bool = true) noexcept
    {
        sleep_.unpark();
        return true;
    }

    // Until it is ended.
    void work()
    {
        sleep_.park_until(forever);
        while (!ended_.load())
            sleep_.park_until(client_.load()->look(std::chrono::steady_clock::now()));
    }

    void end()
    {
        ended_.store(true);
        sleep_.unpark();
    }

    static inline watchdog* one = nullptr;

private:
    futex_parker sleep_;
    std::atomic<client*> client_{nullptr};
    std::atomic<bool> ended_{false};
};

}

#include <asio_ewyk/detail/engine/sentinel.hpp>
#undef syscall
#undef std

BOOST_AUTO_TEST_SUITE(sentinel)

namespace {

using namespace weak_memory;
namespace detail = asio_ewyk::detail;
using detail::lease;

// A producer, one task after the other; each one blocks until it has been taken over.
struct observed : scenario, detail::lessor
{
    explicit observed(bool idle_class)
    {
        detail::watchdog::one = &watchdog;
        moment = {};
        // So that the one that looks has lost its patience with the next look.
        tick = std::chrono::seconds(1);
        blocks = true;
        refuses = !idle_class;
    }

    outcome take_over(lease::number n, bool) noexcept override
    {
        if (!right.end(n))
            return outcome::ended;
        taken.unpark();
        return outcome::taken;
    }

    void ask_for_sign() noexcept override {}
    bool has_sign() const noexcept override { return false; }
    bool is_alone() const noexcept override { return true; }
    bool is_lent(lease::sight const&) const noexcept override { return false; }
    void call_owner() noexcept override {}
    bool watched(detail::time_point, lease::sight const&) noexcept override { return false; }
    void start_pending() noexcept override {}
    void release(lease::number) noexcept override {}
    void go_away(detail::call_frame&) noexcept override {}
    void come_back(detail::call_frame&) noexcept override {}

    // `computes`: it takes a while until it blocks.
    void run_task(bool computes = false, bool marks = true)
    {
        blocks = !computes;
        if (alerts_first)
            watch.alert();
        lease::number n = 0;
        claim(right.acquire(n, false), "no other has it");
        if (marks)
            right.mark(n, lease::activity::busy);
        if (!alerts_first)
            watch.alert();
        if (computes)
        {
            for (int i = 0; i != 30; ++i)
                (void)right.look();
            blocks = true;
        }
        taken.park_until(detail::forever);
        claim(!right.end(n), "it was taken over");
    }

    lease right;
    detail::futex_parker taken;
    detail::watchdog watchdog;
    detail::sentinel watch{right, *this, std::chrono::microseconds(10)};
};

// `IdleClass`: the system has one, so the sentinel looks as well.
template <int Tasks, bool Computes, bool IdleClass>
struct noticed : observed
{
    noticed()
        : observed(IdleClass)
    {
    }

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
    unmarked()
        : observed(false)
    {
        watch.observe_waits();
    }

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

std::vector<named_setup> const scenarios{
    {"the watchdog alone", setup_of<noticed<2, false, false>>(2, 1)},
    {"the watchdog alone, where a task computes first", setup_of<noticed<2, true, false>>(2, 1)},
    {"the watchdog alone, and nothing is marked", setup_of<unmarked>(2, 1)},
    {"the sentinel", setup_of<noticed<2, false, true>>(2, 1)},
    {"the sentinel, where a task computes first", setup_of<noticed<2, true, true>>(2, 1), 300'000},
};

}

BOOST_AUTO_TEST_CASE(notices_what_blocks)
{
    naps_take_time = true;
    check(scenarios);
}

// Whether the producer looks if the watchdog is in bed before it says what it does: then the watchdog
// may go to bed in between, and the task is never late. That must be found; it is rare.
BOOST_AUTO_TEST_CASE(needs_the_mark_first)
{
    naps_take_time = true;
    alerts_first = true;
    auto const found = run(scenarios.front().what, 3'000'000);
    alerts_first = false;
    BOOST_TEST(found.wrong == "DEADLOCK");
    std::printf("weak memory: alert before mark, %s after %zu executions\n", found.wrong.c_str(), found.executions);
}

BOOST_AUTO_TEST_SUITE_END()
