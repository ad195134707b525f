// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Tasks that wait for a thread: how many may, what becomes of one too many, whose turn it is.

#include "pool_support.hpp"

#include <stdexcept>

using namespace support;

BOOST_AUTO_TEST_SUITE(worker_pool_queue)

namespace {

using ewyk::queue_full;
using ewyk::queue_full_error;

// A pool whose only thread is busy and whose queue is full.
struct full_pool
{
    census queued;
    ewyk::worker_pool pool;
    blockade the_thread;

    explicit full_pool(queue_full policy)
      : pool({.max_threads = 1, .max_queue = 2, .when_full = policy}), the_thread(pool, 1)
    {
        BOOST_TEST_REQUIRE(the_thread.holds());
        pool.execute(resident(queued));
        pool.execute(resident(queued));
        BOOST_TEST_REQUIRE(pool.queued() == 2u);
    }

    void expect_those_before_to_run()
    {
        BOOST_TEST(pool.queued() == 2u);
        BOOST_TEST(queued.ran == 0);
        the_thread.release();
        pool.wait();
        BOOST_TEST(queued.ran == 2);
    }
};

static_assert(std::is_base_of_v<std::runtime_error, queue_full_error>);

BOOST_AUTO_TEST_CASE(the_caller_runs_one_too_many)
{
    full_pool full(queue_full::caller_runs);
    std::thread::id ran_on;
    full.pool.execute([&] { ran_on = std::this_thread::get_id(); });
    BOOST_TEST((ran_on == std::this_thread::get_id()));
    full.expect_those_before_to_run();
}

BOOST_AUTO_TEST_CASE(what_the_caller_runs_throws_at_him)
{
    full_pool full(queue_full::caller_runs);
    BOOST_CHECK_THROW(full.pool.execute([] { throw std::logic_error("mine"); }), std::logic_error);
    full.expect_those_before_to_run();
}

BOOST_AUTO_TEST_CASE(one_too_many_is_rejected_and_destroyed)
{
    full_pool full(queue_full::reject);
    census c;
    BOOST_CHECK_THROW(full.pool.execute(resident(c)), queue_full_error);
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.destroyed == c.made);
    full.expect_those_before_to_run();
}

BOOST_AUTO_TEST_CASE(the_executor_lets_the_caller_run_only_what_may_run_there)
{
    full_pool full(queue_full::caller_runs);
    auto const possibly = full.pool.get_executor();
    auto const never = asio::require(possibly, asio::execution::blocking.never);

    std::thread::id ran_on;
    possibly.execute([&] { ran_on = std::this_thread::get_id(); });
    BOOST_TEST((ran_on == std::this_thread::get_id()));

    census c;
    BOOST_CHECK_THROW(never.execute(resident(c)), queue_full_error);
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.destroyed == c.made);
    full.expect_those_before_to_run();
}

BOOST_AUTO_TEST_CASE(the_executor_rejects_too)
{
    full_pool full(queue_full::reject);
    census c;
    BOOST_CHECK_THROW(full.pool.get_executor().execute(resident(c)), queue_full_error);
    BOOST_CHECK_THROW(asio::post(full.pool, resident(c)), queue_full_error);
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.destroyed == c.made);
    full.expect_those_before_to_run();
}

BOOST_AUTO_TEST_CASE(there_is_room_again_when_tasks_have_run)
{
    full_pool full(queue_full::reject);
    full.expect_those_before_to_run();
    BOOST_TEST_REQUIRE(eventually([&] { return full.pool.parked_threads() == 1; }));
    blockade again(full.pool, 1);
    BOOST_TEST_REQUIRE(again.holds());
    census c;
    full.pool.execute(resident(c));
    full.pool.execute(resident(c));
    BOOST_CHECK_THROW(full.pool.execute(resident(c)), queue_full_error);
    again.release();
    full.pool.wait();
    BOOST_TEST(c.ran == 2);
}

// The limit is of tasks that wait although the pool has all the threads that it may have.
BOOST_AUTO_TEST_CASE(the_pool_grows_before_it_refuses)
{
    ewyk::worker_pool pool({.max_threads = 4, .max_queue = 1, .when_full = queue_full::reject});
    blockade all(pool, 4);
    BOOST_TEST(all.holds());
    pool.execute([] {});
    BOOST_CHECK_THROW(pool.execute([] {}), queue_full_error);
}

// Strategies over one pool

struct producing
{
    source tasks;
    ewyk::execution_strategy<source> strategy;

    explicit producing(ewyk::worker_pool& pool)
      : strategy(tasks, pool, ewyk::strategy.produce_execute_consume)
    {
    }
};

BOOST_AUTO_TEST_CASE(a_producer_runs_itself_what_has_no_room)
{
    full_pool full(queue_full::caller_runs);
    producing p(full.pool);
    std::vector<std::thread::id> ran_on;
    for (int i = 0; i != 3; ++i)
        p.tasks.add([&] { ran_on.push_back(std::this_thread::get_id()); });
    p.strategy.produce();
    std::vector<std::thread::id> const here(3, std::this_thread::get_id());
    BOOST_TEST((ran_on == here));
    full.expect_those_before_to_run();
}

BOOST_AUTO_TEST_CASE(what_a_producer_finds_no_room_for_is_destroyed)
{
    full_pool full(queue_full::reject);
    producing p(full.pool);
    census c;
    for (int i = 0; i != 3; ++i)
        p.tasks.add([r = std::make_shared<resident>(c)] { (*r)(); });
    p.strategy.produce();
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.destroyed == c.made);
    full.expect_those_before_to_run();
}

// What must run so that the queue empties is not turned away because it is full.
BOOST_AUTO_TEST_CASE(production_has_room_in_a_full_queue)
{
    full_pool full(queue_full::reject);
    producing p(full.pool);
    std::atomic<std::size_t> calls{0};
    p.tasks.when_empty([&] { ++calls; });
    p.strategy.dispatch();
    BOOST_TEST(calls == 0u);
    full.the_thread.release();
    BOOST_TEST(eventually([&] { return calls == 1; }));
}

// Runs `each` tasks of a strategy, and as many others that `add_other` adds and `produce` gives to
// the pool, on the one thread of it, which begins when all are there: which came when.
template <class AddOther, class Produce>
std::string order_of(std::size_t each, ewyk::worker_pool& pool, AddOther add_other, Produce produce)
{
    std::string order;
    producing a(pool);
    blockade the_thread(pool, 1);
    BOOST_TEST_REQUIRE(the_thread.holds());
    gathering ran;
    for (std::size_t i = 0; i != each; ++i)
    {
        a.tasks.add([&] {
            order += 'a';
            ran.arrive();
        });
        add_other([&] {
            order += 'b';
            ran.arrive();
        });
    }
    a.strategy.produce();
    produce();
    BOOST_TEST(pool.queued() == 2 * each);
    the_thread.release();
    BOOST_TEST(ran.wait_for(2 * each));
    return order;
}

std::string repeated(std::string_view text, std::size_t times)
{
    std::string all;
    for (std::size_t i = 0; i != times; ++i)
        all += text;
    return all;
}

// The backlog of one does not delay the other, whichever came first.
BOOST_AUTO_TEST_CASE(two_strategies_take_turns)
{
    ewyk::worker_pool pool({.max_threads = 1});
    producing b(pool);
    std::string const order = order_of(
        100, pool, [&](auto task) { b.tasks.add(task); }, [&] { b.strategy.produce(); });
    BOOST_TEST(order == repeated("ab", 100));
}

// So do a strategy and what is given to the pool itself, which came first.
BOOST_AUTO_TEST_CASE(a_strategy_and_the_pools_own_tasks_take_turns)
{
    ewyk::worker_pool pool({.max_threads = 1});
    std::string const order
        = order_of(50, pool, [&](auto task) { pool.execute(task); }, [] {});
    BOOST_TEST(order == repeated("ba", 50));
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
