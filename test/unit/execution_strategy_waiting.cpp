// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Producers that wait on the threads of a pool that they share: how many threads it needs.

#include "pool_support.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

using namespace support;

BOOST_AUTO_TEST_SUITE(execution_strategy_waiting)

namespace {

// Strategies over producers that wait, all dispatched to one pool.
class waiting_producers
{
public:
    waiting_producers(ewyk::strategy_t s, std::size_t producers, std::size_t threads)
        : pool_({.max_threads = threads})
    {
        for (std::size_t i = 0; i != producers; ++i)
        {
            sources_.push_back(std::make_unique<waiting_source>());
            strategies_.push_back(std::make_unique<ewyk::execution_strategy<waiting_source>>(
                *sources_.back(), pool_, s));
        }
    }

    // Those that wait in produce() come out, or a strategy's destructor waits for them.
    ~waiting_producers()
    {
        for (auto& source : sources_)
            source->close();
    }

    waiting_source& source(std::size_t i) { return *sources_[i]; }
    void dispatch(std::size_t i) { strategies_[i]->dispatch(); }
    ewyk::worker_pool& pool() { return pool_; }

    // Whether each of them runs a task.
    bool all_run_tasks()
    {
        gathering ran;
        for (auto& source : sources_)
            source->add({[&] { ran.arrive(); }});
        // Nothing refers to `ran` when they have been drained.
        bool const all = ran.wait_for(sources_.size());
        for (auto& source : sources_)
            source->wait_until_drained();
        return all;
    }

private:
    std::vector<std::unique_ptr<waiting_source>> sources_;
    ewyk::worker_pool pool_;
    std::vector<std::unique_ptr<ewyk::execution_strategy<waiting_source>>> strategies_;
};

BOOST_AUTO_TEST_CASE(as_many_producers_as_threads)
{
    for (ewyk::strategy_t const s :
        {ewyk::strategy.produce_consume, ewyk::strategy.eat_what_you_kill})
    {
        waiting_producers all(s, 3, 3);
        for (std::size_t i = 0; i != 3; ++i)
            all.dispatch(i);
        for (int round = 0; round != 10; ++round)
            BOOST_TEST(all.all_run_tasks());
    }
}

BOOST_AUTO_TEST_CASE(pec_needs_one_thread_more)
{
    waiting_producers all(ewyk::strategy.produce_execute_consume, 2, 3);
    all.dispatch(0);
    all.dispatch(1);
    for (int round = 0; round != 10; ++round)
        BOOST_TEST(all.all_run_tasks());

    // With two threads and two producers that wait, tasks stay in the queue.
    waiting_producers both(ewyk::strategy.produce_execute_consume, 2, 2);
    both.dispatch(0);
    both.dispatch(1);
    BOOST_TEST_REQUIRE(both.source(0).wait_until_drained());
    BOOST_TEST_REQUIRE(both.source(1).wait_until_drained());
    event ran;
    both.source(0).add({[&] { ran.set(); }});
    BOOST_TEST_REQUIRE(both.source(0).wait_until_drained());
    BOOST_TEST(both.pool().queued() == 1u);
    both.source(1).close();
    BOOST_TEST(ran.wait());
}

BOOST_AUTO_TEST_CASE(one_more_waits_for_its_turn)
{
    for (ewyk::strategy_t const s :
        {ewyk::strategy.produce_consume, ewyk::strategy.eat_what_you_kill})
    {
        waiting_producers all(s, 3, 2);
        all.dispatch(0);
        all.dispatch(1);
        BOOST_TEST_REQUIRE(all.source(0).wait_until_drained());
        BOOST_TEST_REQUIRE(all.source(1).wait_until_drained());
        event ran;
        all.source(2).add({[&] { ran.set(); }});
        all.dispatch(2);
        // Both threads wait inside a producer, which ends when its source is closed.
        BOOST_TEST(all.pool().queued() == 1u);
        all.source(0).close();
        BOOST_TEST(ran.wait());
        BOOST_TEST(all.source(2).wait_until_drained());
    }
}

STRATEGY_TEST_CASE(contexts_with_a_caller_need_none, s)
{
    constexpr std::size_t contexts = 3;
    gathering ran;
    ewyk::worker_pool pool({.max_threads = 1});
    std::vector<std::unique_ptr<ewyk::strategy_context>> all;
    std::vector<std::thread> callers;
    for (std::size_t i = 0; i != contexts; ++i)
    {
        ewyk::strategy_context& context
            = *all.emplace_back(std::make_unique<ewyk::strategy_context>(pool, s));
        callers.emplace_back([&context] {
            auto const work = asio::make_work_guard(context);
            context.run();
        });
    }
    for (std::size_t round = 1; round <= 10; ++round)
    {
        for (auto& context : all)
            asio::post(*context, [&] { ran.arrive(); });
        BOOST_TEST(ran.wait_for(round * contexts));
    }
    for (auto& context : all)
        context->stop();
    for (std::thread& caller : callers)
        caller.join();
}

} // namespace

// A producer that waits for long is not late: no other thread looks there meanwhile. Its tasks may
// be late, by a page that is read, or a lock of the sanitizer: that is what their grace is for.
BOOST_AUTO_TEST_CASE(a_producer_that_waits_is_left_alone)
{
    struct slow_source
    {
        std::atomic<int> inside{0};
        bool two_at_once = false;
        std::atomic<int> left{4};

        std::function<void()> produce()
        {
            two_at_once = two_at_once || inside.fetch_add(1) != 0;
            std::this_thread::sleep_for(30ms);
            inside.fetch_sub(1);
            return left-- != 0 ? std::function<void()>([] {}) : nullptr;
        }
    };
    for (auto s : {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill})
    {
        ewyk::worker_pool pool({.max_threads = 4});
        slow_source source;
        ewyk::execution_strategy<slow_source> strategy(source, pool, s, 1us);
        strategy.produce();
        // First: the pool has nothing to do while the watchdog passes on production.
        BOOST_TEST(eventually([&] { return source.left == -1; }));
        pool.wait();
        BOOST_TEST(!source.two_at_once);
    }
}

BOOST_AUTO_TEST_SUITE_END()
