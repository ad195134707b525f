// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Tasks and producers that throw: the exception arrives where it belongs, the others run all the
// same, and no second thread produces (jetty/jetty.project#2468).

#include "pool_support.hpp"

#include <optional>
#include <stdexcept>

using namespace support;

BOOST_AUTO_TEST_SUITE(execution_strategy_exceptions)

namespace {

using ewyk::invocation_t;
using strategy = ewyk::execution_strategy<source>;
using strings = std::vector<std::string>;

constexpr invocation_t blocking = ewyk::invocation.blocking;
constexpr invocation_t non_blocking = ewyk::invocation.non_blocking;
constexpr invocation_t either = ewyk::invocation.either;
constexpr invocation_t invocations[] = {blocking, non_blocking, either};

// What runs on a producer's thread although it may throw.
struct in_place
{
    char const* sub_strategy;
    ewyk::strategy_t strategy;
    invocation_t invocation;
    bool pool_is_busy;
};

std::ostream& operator<<(std::ostream& os, in_place const& p)
{
    return os << p.sub_strategy << " by " << p.strategy;
}

constexpr in_place in_places[] = {
    {"PC", ewyk::strategy.produce_consume, blocking, false},
    {"PC", ewyk::strategy.produce_consume, non_blocking, true},
    {"PC", ewyk::strategy.eat_what_you_kill, non_blocking, false},
    {"PC", ewyk::strategy.eat_what_you_kill, non_blocking, true},
    {"PIC", ewyk::strategy.eat_what_you_kill, either, true},
    {"EPC", ewyk::strategy.eat_what_you_kill, either, false},
    {"EPC", ewyk::strategy.eat_what_you_kill, blocking, false},
    {"EPC", ewyk::strategy.execute_produce_consume, blocking, false},
    {"EPC", ewyk::strategy.execute_produce_consume, non_blocking, true},
};

constexpr std::size_t others = 100;

// A pool whose threads, one to produce and one for tasks, are parked or busy, and a source with one
// task that throws before many that do not.
struct situation
{
    source tasks;
    catcher caught;
    gathering ran;
    std::atomic<std::size_t> runs{0};
    ewyk::worker_pool pool;
    std::optional<blockade> the_threads;
    strategy frames;

    situation(ewyk::strategy_t s, invocation_t i, bool busy)
      : pool({.max_threads = 2, .on_exception = std::ref(caught)}), frames(tasks, pool, s)
    {
        if (busy)
            BOOST_TEST_REQUIRE(the_threads.emplace(pool, std::size_t{2}).holds());
        else
            BOOST_TEST_REQUIRE(warm_up(pool, 2));
        tasks.add({[] { throw std::runtime_error("a task"); }, i});
        for (std::size_t n = 0; n != others; ++n)
            tasks.add({[&] {
                           ++runs;
                           ran.arrive();
                       },
                invocations[n % 3]});
    }

    void expect_the_others()
    {
        the_threads.reset();
        BOOST_TEST(ran.wait_for(others));
        BOOST_TEST(eventually([&] { return pool.parked_threads() == 2; }));
        BOOST_TEST(runs == others);
        BOOST_TEST(!tasks.two_at_once());
    }
};

bool is_a_task(std::runtime_error const& e) { return e.what() == std::string("a task"); }

// The exception leaves produce() on the caller's thread; the pool has production by then.
BOOST_DATA_TEST_CASE(the_caller_gets_it_and_the_pool_goes_on, in_places, p)
{
    situation s(p.strategy, p.invocation, p.pool_is_busy);
    BOOST_CHECK_EXCEPTION(s.frames.produce(), std::runtime_error, is_a_task);
    BOOST_TEST(ewyk::this_invocation::may_block());
    s.expect_the_others();
    BOOST_TEST((s.caught.caught() == strings{}));
}

// On a thread of ours it goes to on_exception, and the same thread may go on.
BOOST_DATA_TEST_CASE(on_exception_gets_it_on_a_thread_of_the_pool, in_places, p)
{
    situation s(p.strategy, p.invocation, p.pool_is_busy);
    s.frames.dispatch();
    s.expect_the_others();
    BOOST_TEST((s.caught.wait_for(1) == strings{"a task"}));
}

// So it does with a task that was given to the pool: PEC by either strategy.
BOOST_AUTO_TEST_CASE(the_caller_does_not_get_what_the_pool_ran)
{
    for (bool const busy : {false, true})
        for (invocation_t const i : invocations)
        {
            situation s(ewyk::strategy.produce_execute_consume, i, busy);
            BOOST_CHECK_NO_THROW(s.frames.produce());
            s.expect_the_others();
            BOOST_TEST((s.caught.wait_for(1) == strings{"a task"}));
        }
    situation s(ewyk::strategy.eat_what_you_kill, blocking, true);
    BOOST_CHECK_NO_THROW(s.frames.produce());
    s.expect_the_others();
    BOOST_TEST((s.caught.wait_for(1) == strings{"a task"}));
}

// A full queue makes the producer run it in the end.
BOOST_AUTO_TEST_CASE(the_caller_gets_what_the_pool_had_no_room_for)
{
    source tasks;
    gathering ran;
    ewyk::worker_pool pool({.max_threads = 1, .max_queue = 1});
    blockade the_thread(pool, 1);
    BOOST_TEST_REQUIRE(the_thread.holds());
    pool.execute([] {});
    strategy frames(tasks, pool, ewyk::strategy.produce_execute_consume);
    tasks.add([] { throw std::runtime_error("a task"); });
    tasks.add([&] { ran.arrive(); });
    BOOST_CHECK_EXCEPTION(frames.produce(), std::runtime_error, is_a_task);
    the_thread.release();
    BOOST_TEST(ran.wait_for(1));
    BOOST_TEST(!tasks.two_at_once());
}

// The thread that throws had handed over, and another one sits in the producer already.
BOOST_AUTO_TEST_CASE(who_has_handed_over_does_not_produce_after_an_exception)
{
    for (ewyk::strategy_t const s : {ewyk::strategy_t(ewyk::strategy.execute_produce_consume),
             ewyk::strategy_t(ewyk::strategy.eat_what_you_kill)})
    {
        waiting_source tasks;
        std::atomic<std::size_t> runs{0};
        bool other_produced = false;
        gathering ran;
        ewyk::worker_pool pool({.max_threads = 3});
        BOOST_TEST_REQUIRE(warm_up(pool, 2));
        ewyk::execution_strategy frames(tasks, pool, s);
        tasks.add([&] {
            other_produced = tasks.wait_until_drained();
            throw std::runtime_error("a task");
        });
        BOOST_CHECK_EXCEPTION(frames.produce(), std::runtime_error, is_a_task);
        BOOST_TEST(other_produced);

        for (std::size_t i = 0; i != others; ++i)
            tasks.add({[&] {
                           ++runs;
                           ran.arrive();
                       },
                invocations[i % 3]});
        BOOST_TEST(ran.wait_for(others));
        tasks.close();
        BOOST_TEST(!tasks.two_at_once());
        BOOST_TEST(runs == others);
    }
}

// Producers that throw

struct failing_source
{
    source tasks;
    std::atomic<int> failures_left{0};

    job produce()
    {
        if (failures_left > 0)
        {
            --failures_left;
            throw std::runtime_error("the producer");
        }
        return tasks.produce();
    }
};

STRATEGY_TEST_CASE(a_producer_that_throws_is_asked_again, s)
{
    for (bool const dispatch : {false, true})
    {
        failing_source failing;
        catcher caught;
        gathering ran;
        for (std::size_t i = 0; i != others; ++i)
            failing.tasks.add({[&] { ran.arrive(); }, invocations[i % 3]});
        failing.failures_left = 3;
        ewyk::worker_pool pool({.max_threads = 2, .on_exception = std::ref(caught)});
        ewyk::execution_strategy frames(failing, pool, s);
        std::size_t expected = 3;
        if (dispatch)
            frames.dispatch();
        else
        {
            BOOST_CHECK_THROW(frames.produce(), std::runtime_error);
            --expected;
        }
        BOOST_TEST(ran.wait_for(others));
        BOOST_TEST((caught.wait_for(expected) == strings(expected, "the producer")));
        BOOST_TEST(!failing.tasks.two_at_once());
    }
}

// Many, among others, with several threads that produce: each exception arrives once, each task
// runs.
STRATEGY_TEST_CASE(no_exception_and_no_task_is_lost, s)
{
    constexpr int callers = 3;
    constexpr int each = 1500;
    source tasks;
    std::atomic<int> reported{0};
    std::atomic<int> thrown_at_callers{0};
    std::atomic<int> ran{0};
    {
        ewyk::worker_pool pool(
            {.max_threads = 3, .on_exception = [&](std::exception_ptr) { ++reported; }});
        strategy frames(tasks, pool, s);
        std::vector<std::thread> all;
        for (int c = 0; c != callers; ++c)
            all.emplace_back([&, c] {
                for (int i = 0; i != each; ++i)
                {
                    tasks.add({[&, throws = i % 3 == 0] {
                                   ++ran;
                                   if (throws)
                                       throw std::runtime_error("a task");
                               },
                        invocations[i % 4 % 3]});
                    try
                    {
                        if ((i + c) % 5 == 0)
                            frames.dispatch();
                        else
                            frames.produce();
                    }
                    catch (std::runtime_error const&)
                    {
                        ++thrown_at_callers;
                    }
                }
            });
        for (auto& t : all)
            t.join();
        BOOST_TEST(eventually([&] { return ran == callers * each; }));
        BOOST_TEST(eventually([&] { return reported + thrown_at_callers == callers * each / 3; }));
    }
    BOOST_TEST(ran == callers * each);
    BOOST_TEST(reported + thrown_at_callers == callers * each / 3);
    BOOST_TEST(!tasks.two_at_once());
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
