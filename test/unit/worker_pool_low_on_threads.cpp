// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A pool that is low on threads says so.

#include "pool_support.hpp"

using namespace support;

BOOST_AUTO_TEST_SUITE(worker_pool_low_on_threads)

namespace {

// Keeps n threads of a pool busy while it lives.
class busy_threads
{
public:
    busy_threads(ewyk::worker_pool& pool, std::size_t n)
    {
        for (std::size_t i = 0; i != n; ++i)
            pool.execute([this] {
                ++begun_;
                release_.wait();
                ++ended_;
            });
        BOOST_TEST_REQUIRE(eventually([&] { return begun_ == n; }));
    }

    void end()
    {
        release_.set();
        BOOST_TEST(eventually([&] { return ended_ == begun_; }));
    }

    ~busy_threads() { end(); }

private:
    std::atomic<std::size_t> begun_{0};
    std::atomic<std::size_t> ended_{0};
    event release_;
};

BOOST_AUTO_TEST_CASE(it_is_low_until_no_task_waits)
{
    ewyk::worker_pool pool({.max_threads = 2});
    BOOST_TEST(!pool.low_on_threads());
    {
        busy_threads busy(pool, 2);
        BOOST_TEST(!pool.low_on_threads());
        for (int i = 0; i != 5; ++i)
            pool.execute([] {});
        BOOST_TEST(pool.low_on_threads());
        BOOST_TEST(pool.metrics().low_on_threads_now);
    }
    BOOST_TEST(eventually([&] { return !pool.low_on_threads(); }));
    BOOST_TEST(pool.metrics().low_on_threads == 1u);
    BOOST_TEST(!pool.metrics().low_on_threads_now);
}

BOOST_AUTO_TEST_CASE(each_time_is_counted)
{
    ewyk::worker_pool pool({.max_threads = 1});
    for (unsigned i = 1; i != 4; ++i)
    {
        busy_threads busy(pool, 1);
        pool.execute([] {});
        pool.execute([] {});
        BOOST_TEST(pool.metrics().low_on_threads == i);
        busy.end();
        // As long as the thread runs the last task, the next one waits, and that counts.
        BOOST_TEST_REQUIRE(eventually([&] { return pool.parked_threads() == 1; }));
        BOOST_TEST(!pool.low_on_threads());
    }
}

// As long as threads may come, it is not.
BOOST_AUTO_TEST_CASE(a_pool_that_may_grow_is_not_low)
{
    ewyk::worker_pool pool({.max_threads = 8});
    busy_threads busy(pool, 8);
    BOOST_TEST(pool.metrics().low_on_threads == 0u);
}

// A late handler's right to produce waits for a thread, too.
BOOST_AUTO_TEST_CASE(a_context_that_lacks_a_thread_makes_its_pool_low)
{
    ewyk::worker_pool pool({.max_threads = 2});
    blockade both(pool, 2);
    BOOST_TEST_REQUIRE(both.holds());
    ewyk::strategy_context ctx(pool);
    bool low = false;
    asio::post(ctx, [&] { low = eventually([&] { return pool.low_on_threads(); }); });
    ctx.run();
    BOOST_TEST(low);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
