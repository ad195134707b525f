// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/os/cpu_binding.hpp>
#include <asio_ewyk/detail/engine/parallelism_control.hpp>

#include "pool_support.hpp"
#include "use_cpu.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <set>

BOOST_AUTO_TEST_SUITE(parallelism_control)

namespace {

using namespace support;
using policy = ewyk::detail::parallelism_policy;

policy::window lent(std::size_t tasks, std::chrono::nanoseconds cpu)
{
    return {10ms, tasks, cpu, 0ns};
}

// Others had the CPU.
policy::window interrupted(std::size_t tasks, std::chrono::nanoseconds cpu)
{
    auto w = lent(tasks, cpu);
    w.ran_on = true;
    return w;
}

policy::window handed_over(std::size_t tasks, std::chrono::nanoseconds ran)
{
    return {10ms, tasks, {}, ran};
}

} // namespace

BOOST_AUTO_TEST_CASE(one_thread_that_has_time_is_enough)
{
    policy p;
    for (int i = 0; i != 1000; ++i)
        BOOST_TEST(p.leases_after(lent(100, 8ms)));
}

// Another thread may get as much.
BOOST_AUTO_TEST_CASE(one_thread_that_others_leave_no_time_is_not_enough)
{
    policy p;
    BOOST_TEST(p.leases_after(interrupted(100, 5ms)));
    BOOST_TEST(!p.leases_after(interrupted(100, 5ms)));
    BOOST_TEST(!p.leases_after(handed_over(100, 5ms)));
    BOOST_TEST(!p.leases_after(handed_over(150, 7ms)));
    BOOST_TEST(!p.leases_after(handed_over(150, 7ms)));
    for (int i = 0; i != 50; ++i)
        BOOST_TEST(!p.leases_after(handed_over(150, 7ms))); // one would get less
    // The load falls.
    BOOST_TEST(p.leases_after(handed_over(70, 3ms)));
}

// Once, or for a moment: any window is better than that one.
BOOST_AUTO_TEST_CASE(what_interrupts_one_thread_does_not_show_that_two_do_more)
{
    policy p;
    for (int i = 0; i != 100; ++i)
    {
        BOOST_TEST(p.leases_after(interrupted(20, 1ms)));
        BOOST_TEST(p.leases_after(lent(100, 8ms)));
    }
    BOOST_TEST(p.leases_after(interrupted(100, 8ms)));
    BOOST_TEST(!p.leases_after(interrupted(20, 1ms)));
    BOOST_TEST(!p.leases_after(handed_over(100, 8ms)));
    BOOST_TEST(p.leases_after(handed_over(100, 8ms)));
}

BOOST_AUTO_TEST_CASE(spreads_while_that_gets_more_done)
{
    policy p;
    bool leases = p.leases_after(lent(100, 10ms));
    BOOST_TEST(!leases);
    BOOST_TEST(!p.leases_after(handed_over(100, 10ms))); // the threads wake up
    int leased = 0;
    for (int i = 0; i < 5000 || leases; ++i)
    {
        leases = p.leases_after(leases ? lent(100, 10ms) : handed_over(190, 20ms));
        leased += leases;
    }
    // To compare.
    BOOST_TEST(leased > 5);
    BOOST_TEST(leased < 20);
    // The load falls.
    BOOST_TEST(p.leases_after(handed_over(70, 7ms)));
    BOOST_TEST(p.leases_after(lent(70, 7ms)));
    // And rises.
    BOOST_TEST(!p.leases_after(lent(100, 10ms)));
}

BOOST_AUTO_TEST_CASE(one_window_that_was_better_is_not_enough)
{
    policy p;
    BOOST_TEST(!p.leases_after(lent(100, 10ms)));
    BOOST_TEST(!p.leases_after(handed_over(100, 10ms)));
    BOOST_TEST(!p.leases_after(handed_over(190, 10ms)));
    BOOST_TEST(p.leases_after(handed_over(100, 10ms)));
}

// Those that sleep take the places of others until they are known.
BOOST_AUTO_TEST_CASE(a_try_begins_when_it_is_known_which_tasks_sleep)
{
    policy p;
    auto const finds_sleepers = [](std::size_t tasks) {
        auto w = handed_over(tasks, 10ms);
        w.makes_room = true;
        return w;
    };
    BOOST_TEST(!p.leases_after(lent(100, 10ms)));
    BOOST_TEST(!p.leases_after(finds_sleepers(80)));
    BOOST_TEST(!p.leases_after(finds_sleepers(80)));
    BOOST_TEST(!p.leases_after(handed_over(150, 15ms)));
    BOOST_TEST(!p.leases_after(handed_over(190, 20ms)));
    BOOST_TEST(!p.leases_after(handed_over(190, 20ms)));
    for (int i = 0; i != 50; ++i)
        BOOST_TEST(!p.leases_after(handed_over(190, 20ms)));
}

// Locks that threads share, for example.
BOOST_AUTO_TEST_CASE(a_try_does_not_wait_for_ever_for_that)
{
    policy p;
    BOOST_TEST(!p.leases_after(lent(100, 10ms)));
    auto w = handed_over(80, 10ms);
    w.makes_room = true;
    int windows = 0;
    while (!p.leases_after(w) && windows != 100)
        ++windows;
    BOOST_TEST(windows >= 2);
    BOOST_TEST(windows < 10);
}

BOOST_AUTO_TEST_CASE(does_not_stay_with_what_was_better_by_chance)
{
    policy p;
    BOOST_TEST(!p.leases_after(lent(100, 10ms)));
    BOOST_TEST(!p.leases_after(handed_over(100, 10ms)));
    BOOST_TEST(!p.leases_after(handed_over(190, 10ms)));
    BOOST_TEST(!p.leases_after(handed_over(190, 10ms)));
    int windows = 0;
    while (!p.leases_after(handed_over(100, 10ms)) && windows != 100)
        ++windows;
    BOOST_TEST(windows < 100);
    for (int i = 0; i != 3; ++i)
        BOOST_TEST(p.leases_after(lent(100, 10ms)));
}

BOOST_AUTO_TEST_CASE(tries_less_and_less_often_what_is_of_no_use)
{
    policy p;
    int tried = 0;
    for (int i = 0; i != 1280; ++i)
        if (!p.leases_after(lent(100, 10ms)))
        {
            ++tried;
            BOOST_TEST(!p.leases_after(handed_over(105, 10ms)));
            BOOST_TEST(p.leases_after(handed_over(105, 10ms)));
        }
    BOOST_TEST(tried > 7);
    BOOST_TEST(tried < 20);
    // A moment with less to do is no reason to try again.
    BOOST_TEST(p.leases_after(lent(50, 5ms)));
    BOOST_TEST(p.leases_after(lent(100, 10ms)));
    // Anew when there was time for long enough.
    for (int i = 0; i != 256; ++i)
        BOOST_TEST(p.leases_after(lent(50, 5ms)));
    BOOST_TEST(!p.leases_after(lent(100, 10ms)));
}

// It takes longer to notice that one blocks than to hand over.
BOOST_AUTO_TEST_CASE(tasks_that_block_are_handed_over_before_they_begin)
{
    policy p;
    BOOST_TEST(p.leases_after({10ms, 100, 1ms, 0ns, 50}));
    // It may have been idle for a part of that, and be better for it.
    BOOST_TEST(p.leases_after({10s, 70, 1ms, 0ns, 70}));
    BOOST_TEST(!p.leases_after({10ms, 70, 1ms, 0ns, 70}));
    for (int i = 0; i != 20; ++i)
        BOOST_TEST(!p.leases_after({10ms, 140, {}, 2ms, 130}));
    // The pool is full of them.
    BOOST_TEST(!p.leases_after({10ms, 140, {}, 2ms, 10, 120}));
    BOOST_TEST(!p.leases_after({10ms, 140, {}, 0ns, 0, 140}));
    // Most of them do not block any more.
    BOOST_TEST(p.leases_after({10ms, 140, {}, 2ms, 70}));
}

// Another thread could not even be woken in that time.
BOOST_AUTO_TEST_CASE(does_not_try_tasks_that_cost_next_to_nothing)
{
    policy p;
    for (int i = 0; i != 1000; ++i)
        BOOST_TEST(p.leases_after(lent(20000, 10ms)));
}

namespace {

// Nobody sleeps for it: a task that sleeps leaves room for another one.
class spin_lock
{
public:
    void lock() noexcept
    {
        while (taken_.test_and_set())
            std::this_thread::yield();
    }

    void unlock() noexcept { taken_.clear(); }

private:
    std::atomic_flag taken_;
};

// Tasks of which each submits the next one, at once or later, and which threads run them.
class chains
{
public:
    chains(ewyk::strategy_context& ctx, int n, std::chrono::nanoseconds time,
        std::chrono::nanoseconds pause = {})
      : ctx_(ctx), time_(time), pause_(pause), live_(n)
    {
        for (int i = 0; i != n; ++i)
            again();
    }

    ~chains()
    {
        over_ = true;
        bool const ended = eventually([this] { return live_ == 0; });
        LOCKED_TEST(ended);
    }

    // Waits until several threads have run tasks, or until one thread has had a CPU for itself so
    // often that the control cannot but have tried it.
    struct outcome
    {
        bool spread;
        bool should_have;
    };

    outcome spreads()
    {
        // A busy machine may never give it a CPU.
        constexpr auto attempt = 10s;
        std::unique_lock lock(mutex_);
        done_.wait_for(lock, attempt, [this] { return spread_ || full_stretches_ == enough; });
        return {spread_, full_stretches_ == enough};
    }

    // How many threads ran the next so many.
    std::size_t threads(int tasks)
    {
        std::unique_lock lock(mutex_);
        threads_.clear();
        left_ = tasks;
        bool const in_time = done_.wait_for(lock, patience, [this] { return left_ <= 0; });
        LOCKED_TEST(in_time);
        return threads_.size();
    }

    // How many have run at the same time.
    int most_at_once()
    {
        std::lock_guard const lock(mutex_);
        return most_;
    }

private:
    void again()
    {
        if (pause_ == 0ns)
            return asio::post(ctx_, [this] { run(); });
        auto const timer = std::make_shared<asio::steady_timer>(
            ctx_, std::chrono::duration_cast<asio::steady_timer::duration>(pause_));
        timer->async_wait([this, timer](boost::system::error_code) { run(); });
    }

    void run()
    {
        {
            std::lock_guard const lock(mutex_);
            most_ = std::max(most_, ++running_);
        }
        use_cpu(time_);
        {
            std::lock_guard const lock(mutex_);
            --running_;
            threads_.insert(std::this_thread::get_id());
            follow();
            if (--left_ == 0 || spread_ || full_stretches_ == enough)
                done_.notify_all();
        }
        if (over_)
            --live_;
        else
            again();
    }

    // How long a thread did without a CPU, from an unknown time on.
    static std::chrono::nanoseconds missed()
    {
        return std::chrono::steady_clock::now().time_since_epoch()
            - ewyk::detail::this_thread_cpu_time();
    }

    // A stretch of tasks is full if one thread ran it and missed so little that a window inside of
    // it is full, too, for the control, which wants 90 % of it.
    void follow()
    {
        auto const thread = std::this_thread::get_id();
        spread_ = spread_ || (stretch_ != 0 && thread != last_);
        last_ = thread;
        auto const now = missed();
        if (stretch_ == 0)
            missed_before_ = now;
        if (++stretch_ == several_windows)
        {
            if (now - missed_before_ < control::window / 20 && full_stretches_ != enough)
                ++full_stretches_;
            missed_before_ = now;
            stretch_ = 1;
        }
    }

    using control = ewyk::detail::parallelism_control;
    static constexpr std::size_t several_windows = 5 * control::checked_every; // in tasks
    static constexpr int enough = 5;

    ewyk::strategy_context& ctx_;
    std::chrono::nanoseconds const time_;
    std::chrono::nanoseconds const pause_;
    std::atomic<bool> over_{false};
    std::atomic<int> live_;
    spin_lock mutex_;
    std::condition_variable_any done_;
    std::set<std::thread::id> threads_; // guarded by mutex_
    int left_ = 0;                      // likewise
    int running_ = 0;                   // likewise
    int most_ = 0;                      // likewise
    std::thread::id last_;              // likewise
    bool spread_ = false;               // likewise
    std::size_t stretch_ = 0;           // likewise: tasks
    int full_stretches_ = 0;            // likewise
    std::chrono::nanoseconds missed_before_{}; // likewise: when the stretch began
};

} // namespace

BOOST_AUTO_TEST_CASE(several_threads_while_one_is_not_enough)
{
    // Endless, so that none is late.
    ewyk::strategy_context ctx({.grace = 24h, .max_threads = 8});
    auto work = std::make_optional(asio::make_work_guard(ctx));
    std::thread caller([&] { ctx.run(); });
    {
        chains much(ctx, 16, 200us);
        // One core can do no more by several threads.
        if (ewyk::detail::allowed_cpus() > 1)
        {
            auto const [spread, should_have] = much.spreads();
            BOOST_TEST((spread || !should_have));
            if (!spread)
                BOOST_TEST_MESSAGE("skipped: no thread had a CPU for itself for long enough");
        }
    }
    {
        chains little(ctx, 1, 100us, 2ms);
        BOOST_TEST(eventually([&] { return little.threads(50) == 1; }));
    }
    work.reset();
    caller.join();
}

// Where tasks compute more threads would only take turns.
BOOST_AUTO_TEST_CASE(no_more_threads_than_some_for_each_cpu)
{
    using control = ewyk::detail::parallelism_control;
    int const most = control::threads_for_each_cpu * ewyk::detail::allowed_cpus();
    ewyk::strategy_context ctx({.grace = 24h, .max_threads = 64});
    auto work = std::make_optional(asio::make_work_guard(ctx));
    std::thread caller([&] { ctx.run(); });
    {
        chains much(ctx, 48, 200us);
        if (ewyk::detail::allowed_cpus() == 1 || !much.spreads().spread)
            BOOST_TEST_MESSAGE("skipped: no thread had a CPU for itself for long enough");
        else
            for (int i = 0; i != 20; ++i)
            {
                much.threads(100);
                BOOST_TEST(much.most_at_once() <= most);
            }
    }
    work.reset();
    caller.join();
}

// A thread that sleeps takes no turn.
BOOST_AUTO_TEST_CASE(there_is_room_beside_threads_that_sleep)
{
    using control = ewyk::detail::parallelism_control;
    control c(true);
    auto const fill = [&] {
        int n = 0;
        while (c.begin_spread())
            ++n;
        return n;
    };
    fill();
    BOOST_TEST(c.was_full());
    BOOST_TEST(!c.was_full());
    c.are_asleep(3, 3);
    BOOST_TEST(fill() == 0); // they may have waited for a lock
    c.are_asleep(4, 4);
    BOOST_TEST(fill() == 3);
    BOOST_TEST(c.was_full());
}

BOOST_AUTO_TEST_CASE(threads_in_other_tasks_that_sleep_leave_none)
{
    ewyk::detail::parallelism_control c(true);
    int spread = 0;
    while (c.begin_spread())
        ++spread;
    for (int i = 0; i != 2; ++i)
        c.are_asleep(100, spread + 100);
    BOOST_TEST(!c.begin_spread());
    for (int i = 0; i != 2; ++i)
        c.are_asleep(101, spread + 100);
    BOOST_TEST(c.begin_spread());
    BOOST_TEST(!c.begin_spread());
}

// They may not sleep any more; and nobody asks while there is room.
BOOST_AUTO_TEST_CASE(the_room_for_those_that_sleep_shrinks)
{
    using control = ewyk::detail::parallelism_control;
    int const most = control::threads_for_each_cpu * ewyk::detail::allowed_cpus();
    control c(true);
    auto const room = [&] {
        int n = 0;
        while (c.begin_spread())
            ++n;
        for (int i = 0; i != n; ++i)
            c.end_spread();
        return n;
    };
    auto const asleep = [&](int n, int windows) {
        for (int i = 0; i != windows; ++i)
        {
            c.are_asleep(n, 0);
            c.look(0);
        }
    };
    asleep(100, 10);
    BOOST_TEST(room() == most - 1 + 100);
    // Those that are awake in that moment count still.
    asleep(60, 2);
    BOOST_TEST(room() > most + 90);
    asleep(60, 100);
    BOOST_TEST(room() == most - 1 + 60);
    asleep(0, 20); // they compute now
    BOOST_TEST(room() < most + 5);
    asleep(100, 2);
    for (int windows = 0; windows != 500; ++windows)
        c.look(0);
    BOOST_TEST(room() < most);
}

#if defined(ASIO_EWYK_HAS_LINUX)
BOOST_AUTO_TEST_CASE(a_control_tries_until_those_that_sleep_are_known)
{
    using control = ewyk::detail::parallelism_control;
    if (ewyk::detail::allowed_cpus() == 1)
    {
        BOOST_TEST_MESSAGE("skipped: there is one CPU, and nothing to try");
        return;
    }
    control c(true);
    std::uint64_t late = 0;
    for (int windows = 0; windows != 10 && c.leases(); ++windows)
    {
        c.count();
        c.look(++late); // each of them was
    }
    BOOST_TEST(!c.leases());
    // Two windows find them, the third one none more; the fourth is compared, and nothing was run.
    for (int windows = 0; windows != 4; ++windows)
    {
        BOOST_TEST(!c.leases());
        c.are_asleep(4, 0);
        c.look(late);
    }
    BOOST_TEST(c.leases());
}

// As many sleep as may compute. A try that comes at a bad moment is repeated.
BOOST_AUTO_TEST_CASE(short_tasks_spread_beside_those_that_sleep)
{
    using control = ewyk::detail::parallelism_control;
    ewyk::strategy_context ctx({.max_threads = 64});
    std::atomic<bool> over{ewyk::detail::allowed_cpus() == 1}; // there one thread is enough
    std::atomic<int> running{0};
    std::atomic<int> tasks{0};
    std::atomic<int> beside{0}; // tasks that began while another one ran
    bool mostly_beside = over;
    std::function<void()> const sleep = [&] {
        std::this_thread::sleep_for(10ms);
        if (!over)
            asio::post(ctx, sleep);
    };
    std::function<void()> const compute = [&] {
        ++tasks;
        beside += ++running > 1;
        use_cpu(20us);
        --running;
        if (!over)
            asio::post(ctx, compute);
    };
    for (int i = 0; i != control::threads_for_each_cpu * ewyk::detail::allowed_cpus(); ++i)
        asio::post(ctx, sleep);
    for (int i = 0; i != 16; ++i)
        asio::post(ctx, compute);
    std::thread caller([&] { ctx.run(); });
    auto const end = std::chrono::steady_clock::now() + patience;
    while (!mostly_beside && std::chrono::steady_clock::now() < end)
    {
        int const before = tasks;
        int const beside_before = beside;
        if (!eventually([&] { return tasks - before >= 20000; }))
            break;
        mostly_beside = (beside - beside_before) * 2 > tasks - before;
    }
    over = true;
    caller.join();
    BOOST_TEST(mostly_beside);
}

BOOST_AUTO_TEST_CASE(production_is_handed_over_before_tasks_that_all_sleep)
{
    ewyk::strategy_context ctx({.max_threads = 32});
    std::atomic<bool> over{false};
    std::function<void()> const sleep = [&] {
        std::this_thread::sleep_for(1ms);
        if (!over)
            asio::post(ctx, sleep);
    };
    for (int i = 0; i != 16; ++i)
        asio::post(ctx, sleep);
    std::thread caller([&] { ctx.run(); });
    // Where there is one CPU it is not tried.
    BOOST_TEST((ewyk::detail::allowed_cpus() == 1
        || eventually([&] { return ctx.metrics().execute_produce_consume >= 1000; })));
    over = true;
    caller.join();
}
#endif

BOOST_AUTO_TEST_SUITE_END()
