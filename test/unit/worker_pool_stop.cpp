// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The ends of a pool: wait, join, stop and destruction. Every function is run once or destroyed
// once.

#include "pool_support.hpp"

#include <latch>
#include <optional>

using namespace support;

BOOST_AUTO_TEST_SUITE(worker_pool_stop)

namespace {

template <class Pool>
auto tracked(Pool& pool)
{
    return asio::require(pool.get_executor(), asio::execution::outstanding_work.tracked);
}

// Calls its function when it is destroyed: a sign of life of what is destroyed.
class at_destruction
{
public:
    explicit at_destruction(std::function<void()> f) : f_(std::move(f)) {}
    at_destruction(at_destruction&& other) noexcept : f_(std::exchange(other.f_, nullptr)) {}
    at_destruction& operator=(at_destruction&&) = delete;
    ~at_destruction()
    {
        if (f_)
            f_();
    }
    void operator()() const {}

private:
    std::function<void()> f_;
};

// wait() and join()

BOOST_AUTO_TEST_CASE(an_unused_pool_has_nothing_to_wait_for)
{
    ewyk::worker_pool pool;
    pool.wait();
    pool.join();
    BOOST_TEST(pool.threads_started() == 0u);
}

BOOST_AUTO_TEST_CASE(wait_waits_for_what_runs_and_for_what_is_queued)
{
    census c;
    ewyk::worker_pool pool({.max_threads = 2});
    for (int i = 0; i != 100; ++i)
        pool.execute([r = resident(c)] {
            std::this_thread::yield();
            r();
        });
    pool.wait();
    BOOST_TEST(c.ran == 100);
    // Destroyed too: what a function owns is part of its work.
    BOOST_TEST(c.destroyed == c.made);
}

BOOST_AUTO_TEST_CASE(wait_waits_for_what_tasks_add)
{
    constexpr int depth = 100;
    ewyk::worker_pool pool({.max_threads = 2});
    int ran = 0;
    std::function<void()> const next = [&] {
        if (++ran < depth)
            asio::post(pool, next);
    };
    pool.execute(next);
    pool.wait();
    BOOST_TEST(ran == depth);
}

BOOST_AUTO_TEST_CASE(wait_waits_for_tracked_executors)
{
    std::atomic<bool> released{false};
    std::latch begun(1);
    ewyk::worker_pool pool({.max_threads = 1});
    std::optional work(tracked(pool));
    auto copy = *work;
    auto moved = std::move(copy);
    bool released_at_return = false;
    std::thread waiter([&] {
        begun.count_down();
        pool.wait();
        released_at_return = released;
    });
    begun.wait();
    // Each of these is a step after which nothing runs any more, and a chance to return too early.
    for (int i = 0; i != 100; ++i)
    {
        event ran;
        pool.execute([&] { ran.set(); });
        ran.wait();
    }
    work.reset();
    moved = asio::require(moved, asio::execution::blocking.never);
    auto const untracked = asio::require(moved, asio::execution::outstanding_work.untracked);
    released = true;
    {
        auto const last = std::move(moved);
    }
    waiter.join();
    BOOST_TEST(released_at_return);
    untracked.execute([] {});
    pool.wait();
}

BOOST_AUTO_TEST_CASE(a_pool_can_be_used_after_wait)
{
    ewyk::worker_pool pool({.max_threads = 1});
    for (int i = 0; i != 10; ++i)
    {
        bool ran = false;
        pool.execute([&] { ran = true; });
        pool.wait();
        BOOST_TEST(ran);
    }
    BOOST_TEST(pool.threads_started() == 1u);
}

BOOST_AUTO_TEST_CASE(stop_ends_wait)
{
    ewyk::worker_pool pool({.max_threads = 1});
    auto const work = tracked(pool);
    std::thread waiter([&] { pool.wait(); });
    pool.stop();
    waiter.join();
    pool.wait();
    pool.join();
}

BOOST_AUTO_TEST_CASE(join_ends_the_threads)
{
    std::atomic<std::size_t> ended{0};
    census c;
    gathering together;
    ewyk::worker_pool pool({.max_threads = 3, .on_thread_stop = [&] { ++ended; }});
    for (int i = 0; i != 3; ++i)
        pool.execute([&] { together.arrive_and_wait_for(3); });
    for (int i = 0; i != 50; ++i)
        pool.execute(resident(c));
    pool.join();
    BOOST_TEST(c.ran == 50);
    BOOST_TEST(ended == 3u);
    BOOST_TEST(pool.threads() == 0u);
    BOOST_TEST(pool.parked_threads() == 0u);
    pool.join();
}

// stop()

BOOST_AUTO_TEST_CASE(stop_destroys_what_waits_and_lets_run_what_runs)
{
    census waiting;
    event go_on;
    std::atomic<bool> went_on{false};
    {
        event running;
        ewyk::worker_pool pool({.max_threads = 1});
        pool.execute([&] {
            running.set();
            go_on.wait();
            went_on = true;
        });
        BOOST_TEST_REQUIRE(running.wait());
        for (int i = 0; i != 10; ++i)
            pool.execute(resident(waiting));
        pool.stop();
        BOOST_TEST(waiting.destroyed == waiting.made);
        BOOST_TEST(pool.queued() == 0u);
        BOOST_TEST(!went_on);
        pool.stop();
        go_on.set();
    }
    BOOST_TEST(went_on);
    BOOST_TEST(waiting.ran == 0);
}

BOOST_AUTO_TEST_CASE(after_stop_functions_are_destroyed)
{
    for (bool const used_before : {false, true})
    {
        census c;
        ewyk::worker_pool pool({.max_threads = 2, .max_queue = 1});
        if (used_before)
            BOOST_TEST_REQUIRE(warm_up(pool, 2));
        pool.stop();
        std::size_t const started = pool.threads_started();
        BOOST_CHECK_NO_THROW(pool.execute(resident(c)));
        BOOST_CHECK_NO_THROW(asio::post(pool, resident(c)));
        BOOST_CHECK_NO_THROW(asio::dispatch(pool, resident(c)));
        BOOST_TEST(!hand_overs(pool).try_execute([] {}));
        BOOST_TEST(c.ran == 0);
        BOOST_TEST(c.destroyed == c.made);
        BOOST_TEST(pool.threads_started() == started);
        pool.wait();
    }
}

BOOST_AUTO_TEST_CASE(a_task_may_stop_its_pool)
{
    census waiting;
    ewyk::worker_pool pool({.max_threads = 1});
    pool.execute([&] {
        for (int i = 0; i != 3; ++i)
            asio::post(pool, resident(waiting));
        pool.stop();
        pool.execute(resident(waiting));
    });
    pool.join();
    BOOST_TEST(waiting.ran == 0);
    BOOST_TEST(waiting.destroyed == waiting.made);
}

// Threads that are about to park at that moment see the stop as well.
BOOST_AUTO_TEST_CASE(nothing_runs_that_was_submitted_after_stop)
{
    std::atomic<int> too_late{0};
    for (int i = 0; i != 2000; ++i)
    {
        gathering done;
        ewyk::worker_pool pool({.max_threads = 3});
        for (int n = 0; n != 3; ++n)
            pool.execute([&] { done.arrive(); });
        BOOST_TEST_REQUIRE(done.wait_for(3));
        pool.stop();
        for (int n = 0; n != 10; ++n)
        {
            pool.execute([&] { ++too_late; });
            too_late += hand_overs(pool).try_execute([] {});
        }
    }
    BOOST_TEST(too_late == 0);
}

BOOST_AUTO_TEST_CASE(stop_races_with_submitters)
{
    census c;
    for (int i = 0; i != 50; ++i)
    {
        std::latch begin(3);
        ewyk::worker_pool pool({.max_threads = 2, .reserve = 1});
        hand_overs some(pool);
        std::vector<std::thread> submitters;
        for (int s = 0; s != 2; ++s)
            submitters.emplace_back([&] {
                begin.arrive_and_wait();
                for (int n = 0; n != 200; ++n)
                {
                    pool.execute(resident(c));
                    some.try_execute(resident(c));
                }
            });
        begin.arrive_and_wait();
        if (i % 2 == 0)
            pool.stop();
        else
            pool.join();
        for (auto& s : submitters)
            s.join();
    }
    BOOST_TEST(c.made == 50 * 2 * 200 * 2);
    BOOST_TEST(c.destroyed == c.made);
}

// Destruction

// The task goes on only when something is destroyed that is queued behind it, so when the
// destruction of the pool is under way.
BOOST_AUTO_TEST_CASE(destruction_waits_for_a_running_task)
{
    event destroying;
    std::atomic<bool> in_time{false};
    std::atomic<bool> finished{false};
    {
        event running;
        ewyk::worker_pool pool({.max_threads = 1});
        pool.execute([&] {
            running.set();
            in_time = destroying.wait();
            finished = true;
        });
        BOOST_TEST_REQUIRE(running.wait());
        pool.execute(at_destruction([&] { destroying.set(); }));
        BOOST_TEST(!finished);
    }
    BOOST_TEST(in_time);
    BOOST_TEST(finished);
}

BOOST_AUTO_TEST_CASE(what_a_task_submits_during_destruction_is_destroyed)
{
    census c;
    {
        event destroying;
        event running;
        ewyk::worker_pool pool({.max_threads = 1});
        pool.execute([&] {
            running.set();
            destroying.wait();
            pool.execute(resident(c));
            asio::post(pool, resident(c));
        });
        BOOST_TEST_REQUIRE(running.wait());
        pool.execute(at_destruction([&] { destroying.set(); }));
        // Waits for the task, so the events may end after it.
        pool.stop();
        pool.join();
    }
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.made == 2);
    BOOST_TEST(c.destroyed == 2);
}

BOOST_AUTO_TEST_CASE(a_destroyed_function_may_use_the_pool)
{
    census c;
    {
        ewyk::worker_pool pool({.max_threads = 1});
        blockade the_thread(pool, 1);
        BOOST_TEST_REQUIRE(the_thread.holds());
        for (int i = 0; i != 3; ++i)
            pool.execute(at_destruction([&, work = tracked(pool)] {
                work.execute(resident(c));
                pool.execute(resident(c));
                static_cast<void>(pool.queued());
            }));
        pool.stop();
        BOOST_TEST(c.destroyed == 6);
    }
    BOOST_TEST(c.made == 6);
    BOOST_TEST(c.destroyed == 6);
    BOOST_TEST(c.ran == 0);
}

// Neither hangs nor loses a thread that ends by itself at that moment: jetty/jetty.project#4096,
// #4575.
BOOST_AUTO_TEST_CASE(a_pool_ends_while_its_threads_end)
{
    std::atomic<int> started{0};
    std::atomic<int> ended{0};
    for (int i = 0; i != 100; ++i)
    {
        ewyk::worker_pool pool({.max_threads = 3,
            .reserve = 2,
            .idle_timeout = 1ms,
            .on_thread_start = [&] { ++started; },
            .on_thread_stop = [&] { ++ended; }});
        for (int n = 0; n != 3; ++n)
            pool.execute([] {});
        pool.wait();
        hand_overs(pool).try_execute([] {});
        // Until about the time when the threads end, which is what the test is after.
        auto const end = std::chrono::steady_clock::now() + 900us + i % 10 * 30us;
        while (std::chrono::steady_clock::now() < end)
            std::this_thread::yield();
    }
    BOOST_TEST(started > 0);
    BOOST_TEST(ended == started);
}

// What an I/O object of the pool still waits for is destroyed with the pool.
BOOST_AUTO_TEST_CASE(pending_operations_are_destroyed)
{
    census c;
    {
        ewyk::worker_pool pool;
        auto timer = std::make_shared<asio::steady_timer>(pool, 24h);
        timer->async_wait([timer, r = resident(c)](auto) { r(); });
    }
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.made == 1);
    BOOST_TEST(c.destroyed == 1);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
