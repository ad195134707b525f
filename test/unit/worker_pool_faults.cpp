// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What goes wrong around a pool: tasks that throw, hooks that submit, a system that starts no
// thread.

#include "pool_support.hpp"

#include <functional>
#include <iostream>
#include <stdexcept>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace support;

BOOST_AUTO_TEST_SUITE(worker_pool_faults)

namespace {

using strings = std::vector<std::string>;

// Tasks that throw

BOOST_AUTO_TEST_CASE(what_a_task_throws_goes_to_on_exception)
{
    catcher caught;
    census c;
    ewyk::worker_pool pool({.max_threads = 1, .on_exception = std::ref(caught)});
    pool.execute([] { throw std::runtime_error("1"); });
    asio::post(pool, [] { throw std::logic_error("2"); });
    pool.execute(resident(c));
    pool.wait();
    BOOST_TEST((caught.wait_for(2) == strings{"1", "2"}));
    BOOST_TEST(c.ran == 1);
    BOOST_TEST(pool.threads_started() == 1u);
}

#if defined(__unix__)
// In a child process, whose end one can watch.
BOOST_AUTO_TEST_CASE(without_on_exception_the_program_ends)
{
    constexpr int code = 42;
    // Or the child would write what waits to be written, too.
    std::cout.flush();
    pid_t const child = ::fork();
    BOOST_TEST_REQUIRE(child >= 0);
    if (child == 0)
    {
        std::set_terminate([] { ::_exit(code); });
        ewyk::worker_pool pool;
        pool.execute([] { throw std::runtime_error("nobody wants this"); });
        pool.join();
        ::_exit(0);
    }
    int status = 0;
    BOOST_TEST_REQUIRE(::waitpid(child, &status, 0) == child);
    BOOST_TEST_REQUIRE(WIFEXITED(status));
    BOOST_TEST(WEXITSTATUS(status) == code);
}
#endif

// Hooks

// The place of a thread that ends counts as free: a task that it submits still finds a thread.
BOOST_AUTO_TEST_CASE(a_thread_that_ends_can_submit)
{
    event ran;
    std::atomic<bool> submitted{false};
    ewyk::worker_pool* of = nullptr;
    ewyk::worker_pool pool({.max_threads = 1, .idle_timeout = 1ms, .on_thread_stop = [&] {
                                if (!submitted.exchange(true))
                                    of->execute([&] { ran.set(); });
                            }});
    of = &pool;
    pool.execute([] {});
    BOOST_TEST(eventually([&] { return submitted.load(); }));
    BOOST_TEST(ran.wait());
    BOOST_TEST(pool.start_failures() == 0u);
}

// Calls a function when its thread ends, after the last hook.
struct last_will
{
    ~last_will()
    {
        if (f)
            f();
    }

    static last_will& of_this_thread()
    {
        static thread_local last_will one;
        return one;
    }

    std::function<void()> f;
};

// The pool must not have the thread wait for itself then, nor two for each other.
BOOST_AUTO_TEST_CASE(a_thread_local_object_can_submit_when_its_thread_ends)
{
    constexpr std::size_t threads = 3;
    gathering together;
    gathering end_together;
    gathering ran;
    ewyk::worker_pool pool({.max_threads = threads, .idle_timeout = 1ms});
    for (std::size_t i = 0; i != threads; ++i)
        pool.execute([&] {
            together.arrive_and_wait_for(threads);
            last_will::of_this_thread().f = [&] {
                end_together.arrive_and_wait_for(threads);
                pool.execute([&] { ran.arrive(); });
            };
        });
    BOOST_TEST(ran.wait_for(threads));
    BOOST_TEST(pool.start_failures() == 0u);
}

// A system that starts no thread

BOOST_AUTO_TEST_CASE(a_task_without_a_thread_stays_queued)
{
    no_more_threads fault;
    if (!fault.in_force())
        return;
    census c;
    ewyk::worker_pool pool({.max_threads = 4});
    BOOST_CHECK_NO_THROW(pool.execute(resident(c)));
    BOOST_CHECK_NO_THROW(asio::post(pool, resident(c)));
    BOOST_TEST(pool.start_failures() == 2u);
    BOOST_TEST(pool.threads_started() == 0u);
    BOOST_TEST(pool.threads() == 0u);
    BOOST_TEST(pool.queued() == 2u);

    fault.lift();
    pool.execute(resident(c));
    pool.wait();
    BOOST_TEST(c.ran == 3);
    BOOST_TEST(c.destroyed == c.made);
    BOOST_TEST(pool.start_failures() == 2u);
}

BOOST_AUTO_TEST_CASE(a_hand_over_without_a_thread_fails)
{
    no_more_threads fault;
    if (!fault.in_force())
        return;
    ewyk::worker_pool pool({.max_threads = 4, .reserve = 1});
    hand_overs some(pool);
    for (std::size_t i = 1; i != 4; ++i)
    {
        BOOST_TEST(!some.try_execute([] {}));
        // After the second time the system is asked after a pause.
        BOOST_TEST(pool.start_failures() >= std::min<std::size_t>(i, 2));
        BOOST_TEST(pool.threads() == 0u);
    }
    fault.lift();
    BOOST_TEST(eventually([&] { return some.try_execute([] {}); }));
}

BOOST_AUTO_TEST_CASE(the_threads_that_there_are_go_on)
{
    census c;
    ewyk::worker_pool pool({.max_threads = 4});
    blockade one(pool, 1);
    BOOST_TEST_REQUIRE(one.holds());
    no_more_threads const fault;
    if (!fault.in_force())
        return;
    for (int i = 0; i != 10; ++i)
        pool.execute(resident(c));
    BOOST_TEST(pool.start_failures() == 10u);
    BOOST_TEST(pool.threads() == 1u);
    BOOST_TEST(pool.queued() == 10u);
    one.release();
    pool.wait();
    BOOST_TEST(c.ran == 10);
    BOOST_TEST(pool.threads_started() == 1u);
}

// The only thread there is waits inside a producer; what the producer gives to the pool runs all the
// same.
BOOST_AUTO_TEST_CASE(a_producer_that_has_the_only_thread_runs_its_tasks)
{
    event release;
    event running;
    ewyk::worker_pool pool({.max_threads = 4});
    BOOST_TEST_REQUIRE(warm_up(pool, 1));
    waiting_source tasks;
    ewyk::execution_strategy frames(tasks, pool);
    std::thread caller([&] { frames.produce(); });
    tasks.add({[&] {
                   running.set();
                   release.wait();
               },
        ewyk::invocation.blocking});
    BOOST_TEST(running.wait());
    no_more_threads const fault;
    if (fault.in_force())
    {
        // By the pool's thread, or by the caller if it still comes to that.
        event ran;
        tasks.add({[&] { ran.set(); }, ewyk::invocation.blocking});
        BOOST_TEST(ran.wait());
    }
    release.set();
    tasks.close();
    caller.join();
}

BOOST_AUTO_TEST_CASE(a_pool_that_never_had_a_thread_ends)
{
    census c;
    no_more_threads const fault;
    if (!fault.in_force())
        return;
    {
        ewyk::worker_pool pool;
        pool.execute(resident(c));
    }
    {
        ewyk::worker_pool pool;
        pool.execute(resident(c));
        pool.stop();
        pool.join();
    }
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.made == 2);
    BOOST_TEST(c.destroyed == 2);
}

// The limit of the queue is one of memory, so it holds whatever the reason why tasks wait.
BOOST_AUTO_TEST_CASE(the_queue_keeps_its_limit_without_threads)
{
    no_more_threads const fault;
    if (!fault.in_force())
        return;
    int ran_here = 0;
    ewyk::worker_pool pool({.max_threads = 4, .max_queue = 2});
    for (int i = 0; i != 10; ++i)
        pool.execute([&] { ++ran_here; });
    BOOST_TEST(pool.queued() <= 2u);
    BOOST_TEST(ran_here >= 8);
    pool.stop();
}

// What is refused meanwhile has a thread started for what waits.
BOOST_AUTO_TEST_CASE(a_full_queue_gets_a_thread_as_soon_as_there_is_one)
{
    no_more_threads fault;
    if (!fault.in_force())
        return;
    std::atomic<int> ran{0};
    ewyk::worker_pool pool(
        {.max_threads = 4, .max_queue = 2, .when_full = ewyk::queue_full::reject});
    pool.execute([&] { ++ran; });
    pool.execute([&] { ++ran; });
    BOOST_CHECK_THROW(pool.execute([] {}), ewyk::queue_full_error);
    BOOST_TEST(pool.threads() == 0u);
    fault.lift();
    BOOST_CHECK_THROW(pool.execute([] {}), ewyk::queue_full_error);
    BOOST_TEST(eventually([&] { return ran == 2; }));
    BOOST_CHECK_NO_THROW(pool.execute([] {}));
}

// Production without threads

constexpr ewyk::invocation_t invocations[] = {
    ewyk::invocation.blocking, ewyk::invocation.either, ewyk::invocation.non_blocking};

STRATEGY_TEST_CASE(the_producer_runs_what_no_thread_can_be_had_for, s)
{
    no_more_threads const fault;
    if (!fault.in_force())
        return;
    source tasks;
    std::vector<std::thread::id> ran_on;
    for (int i = 0; i != 30; ++i)
        tasks.add({[&] { ran_on.push_back(std::this_thread::get_id()); }, invocations[i % 3]});
    ewyk::worker_pool pool;
    ewyk::execution_strategy frames(tasks, pool, s);
    frames.produce();
    std::vector<std::thread::id> const here(30, std::this_thread::get_id());
    BOOST_TEST((ran_on == here));
    BOOST_TEST(pool.threads_started() == 0u);
    BOOST_TEST(!tasks.two_at_once());
}

// The thread that was asked for does not come, and is first in line before all tasks.
STRATEGY_TEST_CASE(the_producer_runs_everything_although_a_thread_was_asked_for, s)
{
    no_more_threads const fault;
    if (!fault.in_force())
        return;
    source tasks;
    int ran = 0;
    ewyk::worker_pool pool;
    ewyk::execution_strategy frames(tasks, pool, s);
    frames.dispatch();
    BOOST_TEST(pool.start_failures() == 1u);
    for (int i = 0; i != 30; ++i)
        tasks.add({[&] { ++ran; }, invocations[i % 3]});
    frames.produce();
    BOOST_TEST(ran == 30);
}

STRATEGY_TEST_CASE(production_works_again_when_threads_can_be_had, s)
{
    no_more_threads fault;
    if (!fault.in_force())
        return;
    source tasks;
    gathering ran;
    ewyk::worker_pool pool;
    ewyk::execution_strategy frames(tasks, pool, s);
    tasks.add([&] { ran.arrive(); });
    frames.dispatch();
    BOOST_TEST(pool.start_failures() == 1u);
    fault.lift();
    tasks.add([&] { ran.arrive(); });
    frames.dispatch();
    BOOST_TEST(ran.wait_for(2));
    BOOST_TEST(!tasks.two_at_once());
}

// The next task is handed over again, not only the right to produce that still waits for a thread.
BOOST_AUTO_TEST_CASE(production_is_handed_over_again_when_threads_can_be_had)
{
    no_more_threads fault;
    if (!fault.in_force())
        return;
    source tasks;
    event next_ran;
    ewyk::worker_pool pool;
    ewyk::execution_strategy frames(tasks, pool, ewyk::strategy.execute_produce_consume);
    bool in_time = false;
    tasks.add([&] { fault.lift(); });
    tasks.add([&] { in_time = next_ran.wait(); });
    tasks.add([&] { next_ran.set(); });
    frames.produce();
    BOOST_TEST(in_time);
}

// An exception passes production on to a thread that cannot be had: it is not lost for ever.
STRATEGY_TEST_CASE(an_exception_without_threads_stops_production_only_for_now, s)
{
    no_more_threads fault;
    if (!fault.in_force())
        return;
    source tasks;
    gathering ran;
    ewyk::worker_pool pool;
    ewyk::execution_strategy frames(tasks, pool, s);
    tasks.add([] { throw std::runtime_error("first"); });
    tasks.add([&] { ran.arrive(); });
    BOOST_CHECK_THROW(frames.produce(), std::runtime_error);
    fault.lift();
    frames.produce();
    BOOST_TEST(ran.wait_for(1));
    BOOST_TEST(!tasks.two_at_once());
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
