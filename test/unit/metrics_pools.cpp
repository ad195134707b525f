// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// metrics() of pools, loops and groups.

#include "pool_support.hpp"

#include <stdexcept>

using namespace support;

BOOST_AUTO_TEST_SUITE(metrics_pools)

namespace {

bool add_up(ewyk::pool_metrics const& m)
{
    return m.starting + m.parked + m.producing + m.running == m.threads;
}

} // namespace

BOOST_AUTO_TEST_CASE(of_a_group)
{
    event ran;
    ewyk::event_loop_group loops(3);
    BOOST_TEST(loops.metrics().size() == 3u);
    asio::post(loops[1], [&] { ran.set(); });
    BOOST_TEST(ran.wait());
    auto const all = loops.metrics();
    BOOST_TEST(all[0].tasks == 0u);
    BOOST_TEST(all[1].tasks == 1u);

    ewyk::worker_pool pool;
    ewyk::context_group<ewyk::strategy_context> contexts(
        2, [&](std::size_t) { return std::make_unique<ewyk::strategy_context>(pool); });
    asio::post(contexts[0], [] {});
    contexts[0].run();
    BOOST_TEST(contexts.metrics()[0].tasks() == 1u);
    BOOST_TEST(contexts.metrics()[1].tasks() == 0u);
}

BOOST_AUTO_TEST_CASE(of_a_pool)
{
    catcher caught;
    ewyk::worker_pool pool({.max_threads = 1,
        .max_queue = 2,
        .on_exception = [&](std::exception_ptr e) { caught(e); }});
    blockade the_thread(pool, 1);
    BOOST_TEST_REQUIRE(the_thread.holds());
    pool.execute([] {});
    pool.execute([] { throw std::runtime_error("mine"); });
    bool here = false;
    pool.execute([&] { here = true; });
    BOOST_TEST(here);
    BOOST_CHECK_THROW(asio::post(pool, [] {}), ewyk::queue_full_error);
    auto m = pool.metrics();
    BOOST_TEST(m.tasks == 2u); // of which one ran here
    BOOST_TEST(m.run_by_caller == 1u);
    BOOST_TEST(m.refused == 1u);
    BOOST_TEST(m.queued == 2u);
    BOOST_TEST(m.queued_max == 2u);
    BOOST_TEST(m.threads == 1u);
    BOOST_TEST(m.max_threads == 1u);
    BOOST_TEST(m.running == 1u);
    BOOST_TEST(m.starts == 1u);
    BOOST_TEST(add_up(m));
    the_thread.release();
    pool.wait();
    BOOST_TEST(eventually([&] { return pool.metrics().parked == 1; }));
    m = pool.metrics();
    BOOST_TEST(m.tasks == 4u);
    BOOST_TEST(m.queued == 0u);
    BOOST_TEST(m.queued_max == 2u);
    BOOST_TEST(m.exceptions == 1u);
    BOOST_TEST(add_up(m));
    BOOST_TEST(m.run_time.buckets.empty());
}

BOOST_AUTO_TEST_CASE(of_a_loop)
{
    catcher caught;
    event begun;
    event release;
    event ran;
    ewyk::event_loop loop({.on_exception = [&](std::exception_ptr e) { caught(e); }});
    BOOST_TEST((loop.metrics().cpu_time == 0ns));
    asio::post(loop, [&] {
        asio::dispatch(loop, [] {}); // in place
        asio::post(loop, [] {});
        begun.set();
        release.wait();
        throw std::runtime_error("mine");
    });
    BOOST_TEST(begun.wait());
    for (int i = 0; i != 10; ++i)
        asio::post(loop, [] {});
    auto m = loop.metrics();
    BOOST_TEST(m.tasks == 1u);
    BOOST_TEST(m.in_place >= 1u);
    BOOST_TEST(m.queued == 11u);
    BOOST_TEST(m.queued_max == 11u);
    release.set();
    loop.schedule(0s, [&] { ran.set(); });
    BOOST_TEST(ran.wait());
    BOOST_TEST(eventually([&] { return loop.metrics().tasks == 12; }));
    m = loop.metrics();
    BOOST_TEST(m.queued == 0u);
    BOOST_TEST(m.exceptions == 1u);
    BOOST_TEST(m.scheduled == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
