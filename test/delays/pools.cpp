// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Pools, and strategies over a producer that is no io_context, with delays wherever something
// changes hands.

#include "delays.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <mutex>

BOOST_AUTO_TEST_SUITE(pools)

namespace {

using namespace delays;

ewyk::worker_pool_options any_options(dice& d)
{
    ewyk::worker_pool_options o;
    o.max_threads = 1 + d.roll(4);
    o.min_threads = d.roll(o.max_threads);
    o.reserve = d.roll(o.max_threads);
    o.idle_timeout = std::chrono::milliseconds(1 + d.roll(3));
    o.max_queue = d.roll(3) == 0 ? 1 + d.roll(5) : 0;
    return o;
}

using task = entered<std::function<void()>>;

// As the strategy wants it: false if it is none, and to be called.
class product
{
public:
    product() = default;
    explicit product(task t) : task_(std::make_unique<task>(std::move(t))) {}

    explicit operator bool() const noexcept { return task_ != nullptr; }
    void operator()() { (*task_)(); }

private:
    std::unique_ptr<task> task_;
};

// A queue: a producer that never waits.
class source
{
public:
    product produce()
    {
        std::lock_guard const lock(mutex_);
        if (tasks_.empty())
            return {};
        product next(std::move(tasks_.front()));
        tasks_.pop_front();
        return next;
    }

    void add(task t)
    {
        std::lock_guard const lock(mutex_);
        tasks_.push_back(std::move(t));
    }

private:
    std::mutex mutex_;
    std::deque<task> tasks_;
};

void lose_no_product(setting const& s)
{
    for (std::size_t n = 0; n != rounds / 4; ++n)
    {
        delayed_round const slow(n);
        dice d(seed() + n);
        ledger l;
        ewyk::worker_pool pool({.max_threads = s.threads,
            .reserve = d.roll(s.threads),
            .idle_timeout = std::chrono::milliseconds(1 + d.roll(3))});
        source tasks;
        {
            ewyk::execution_strategy strategy(tasks, pool, s.strategy, s.grace);
            crowd askers;
            askers.add(3, [&, first = d.roll(1'000)](std::size_t i) {
                dice mine(first + i);
                for (std::size_t k = 0; k != several(600); ++k)
                {
                    tasks.add(task(l, [&, what = mine.roll(30)] {
                        if (what == 0)
                            std::this_thread::sleep_for(100us);
                        else if (what == 1)
                            strategy.produce();
                        else if (what == 2)
                            ewyk::blocking_section const blocks;
                    }));
                    if (mine.roll(2) == 0)
                        strategy.dispatch();
                    else
                        strategy.produce();
                }
            });
            askers.join();
            until([&] { return l.gone == l.made; });
        }
        BOOST_TEST(l.ran == l.made);
        BOOST_TEST(l.twice == 0);
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(each_task_runs_once_or_is_destroyed)
{
    for (std::size_t n = 0; n != 2 * rounds; ++n)
    {
        delayed_round const slow(n);
        dice d(seed() + n);
        ledger l;
        bool const stops = d.roll(2) == 0;
        {
            ewyk::worker_pool pool(any_options(d));
            crowd submitters;
            submitters.add(3, [&, first = d.roll(1'000)](std::size_t i) {
                dice mine(first + i);
                for (std::size_t k = 0; k != several(600); ++k)
                {
                    entered sleeper(l, [sleeps = mine.roll(30) == 0] {
                        if (sleeps)
                            std::this_thread::sleep_for(100us);
                    });
                    pool.execute(std::move(sleeper));
                    if (mine.roll(100) == 0)
                        std::this_thread::sleep_for(2ms); // threads end
                }
            });
            if (stops)
            {
                std::this_thread::sleep_for(std::chrono::microseconds(d.roll(3'000)));
                pool.stop();
            }
            submitters.join();
            if (!stops)
                pool.wait();
        }
        BOOST_TEST(l.gone == l.made);
        BOOST_TEST(l.twice == 0);
    }
}

BOOST_DATA_TEST_CASE(no_product_is_lost, boost::unit_test::data::make(each_pool()), s)
{
    lose_no_product(s);
}

// Each task is late, and there is no other thread to produce: the late one goes on, even if it comes
// back while the right is taken from it.
BOOST_AUTO_TEST_CASE(late_tasks_over_a_stopped_pool_come_to_their_end)
{
    for (std::size_t n = 0; n != rounds; ++n)
    {
        delayed_round const slow(n);
        ledger l;
        ewyk::worker_pool pool;
        pool.stop();
        source tasks;
        ewyk::execution_strategy frames(
            tasks, pool, ewyk::strategy_t::execute_produce_consume, std::chrono::microseconds(1));
        for (int i = 0; i != 20; ++i)
            tasks.add(task(l, [i] { std::this_thread::sleep_for(std::chrono::microseconds(10 * i)); }));
        frames.produce();
        BOOST_TEST_REQUIRE(l.ran == 20);
    }
}

BOOST_AUTO_TEST_SUITE_END()
