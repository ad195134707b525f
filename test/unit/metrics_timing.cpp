// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The histograms of metrics(), which there are with the option `timing` only.

#include "pool_support.hpp"

#include <asio_ewyk/detail/metrics/task_times.hpp>

#include <memory>
#include <numeric>

using namespace support;

BOOST_AUTO_TEST_SUITE(metrics_timing)

namespace {

using histogram = ewyk::duration_histogram;

// What a task is known to have waited, less the unit of its time of submission.
constexpr auto a_while = 5ms;
constexpr auto nearly = a_while - 1us;

histogram of(std::initializer_list<std::chrono::nanoseconds> durations)
{
    ewyk::detail::histogram_recorder recorder;
    for (auto const d : durations)
        recorder.record(d);
    return recorder.snapshot();
}

BOOST_AUTO_TEST_CASE(buckets_fit_together)
{
    for (std::size_t i = 0; i != histogram::bucket_count; ++i)
    {
        auto const bound = histogram::upper_bound(i);
        BOOST_TEST(histogram::bucket_of(bound) == i);
        if (i + 1 != histogram::bucket_count)
            BOOST_TEST(histogram::bucket_of(bound + 1ns) == i + 1);
        // To an eighth.
        if (i != 0)
            BOOST_TEST(((bound - histogram::upper_bound(i - 1)) * 8 <= bound + 7ns));
    }
    for (auto const d : {-1ns, 0ns, 1ns})
        BOOST_TEST(histogram::bucket_of(d) == 0u);
    BOOST_TEST(histogram::bucket_of(std::chrono::nanoseconds::max()) == histogram::bucket_count - 1);
}

BOOST_AUTO_TEST_CASE(counts_and_quantiles)
{
    auto const h = of({1ns, 2ns, 3ns, 1us, 10ms});
    BOOST_TEST(h.count == 5u);
    BOOST_TEST((h.sum == 6ns + 1us + 10ms));
    BOOST_TEST((h.max == 10ms));
    BOOST_TEST(std::accumulate(h.buckets.begin(), h.buckets.end(), 0u) == 5u);
    BOOST_TEST((h.quantile(0) == 1ns));
    BOOST_TEST((h.quantile(0.2) == 1ns));
    BOOST_TEST((h.quantile(0.5) == 3ns));
    BOOST_TEST((h.quantile(0.8) >= 1us));
    BOOST_TEST((h.quantile(0.8) <= 1125ns));
    BOOST_TEST((h.quantile(1) == 10ms));
    BOOST_TEST((h.quantile(7) == 10ms));
    BOOST_TEST(h.count_up_to(3ns) == 3u);
    BOOST_TEST(h.count_up_to(1024ns) == 4u);
    BOOST_TEST(h.count_up_to(24h) == 5u);
    BOOST_TEST((of({}).quantile(0.5) == 0ns));
    BOOST_TEST((histogram().quantile(0.5) == 0ns));
    BOOST_TEST(histogram().count_up_to(1s) == 0u);
}

STRATEGY_TEST_CASE(of_a_context, s)
{
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 4, .timing = true});
    deadline const in_time(ctx);
    for (int i = 0; i != 50; ++i)
        asio::post(ctx, [] {});
    std::this_thread::sleep_for(a_while);
    asio::post(asio::require(ctx.get_executor(), ewyk::invocation.non_blocking),
        [] { std::this_thread::sleep_for(a_while); });
    asio::steady_timer timer(ctx, 1ns);
    timer.async_wait([](auto) {});
    ctx.run();
    // The last one may still be on its way back.
    BOOST_TEST(eventually([&] { return ctx.metrics().run_time.count == 52; }));
    auto const m = ctx.metrics();
    BOOST_TEST(m.tasks() == 52u);
    // How long the timer's completion waited is known only if the pool ran it.
    BOOST_TEST(m.queue_delay.count >= 51u);
    BOOST_TEST(m.queue_delay.count <= 52u);
    BOOST_TEST((m.queue_delay.max >= nearly));
    BOOST_TEST((m.queue_delay.quantile(0.5) >= nearly));
    BOOST_TEST((m.run_time.max >= a_while));
    BOOST_TEST((m.run_time.sum >= a_while));
    BOOST_TEST(m.run_time.buckets.size() == histogram::bucket_count);
}

// What a handler owns is destroyed as a part of it.
STRATEGY_TEST_CASE(destruction_is_measured, s)
{
    struct slow_to_destroy
    {
        std::unique_ptr<int, void (*)(int*)> owned;
        void operator()() const {}
    };
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 4, .timing = true});
    deadline const in_time(ctx);
    int any = 0;
    asio::post(ctx, slow_to_destroy{{&any, [](int*) { std::this_thread::sleep_for(a_while); }}});
    ctx.run();
    BOOST_TEST(eventually([&] { return ctx.metrics().run_time.count == 1; }));
    BOOST_TEST((ctx.metrics().run_time.max >= a_while));
}

BOOST_AUTO_TEST_CASE(a_context_measures_if_its_pool_does)
{
    ewyk::worker_pool pool({.timing = true});
    ewyk::strategy_context ctx(pool);
    asio::post(ctx, [] {});
    ctx.run();
    BOOST_TEST(eventually([&] { return ctx.metrics().run_time.count == 1; }));
    BOOST_TEST(pool.metrics().run_time.count == 0u);
    BOOST_TEST(!pool.metrics().run_time.buckets.empty());
}

BOOST_AUTO_TEST_CASE(what_throws_is_measured_as_well)
{
    ewyk::strategy_context ctx({.strategy = ewyk::strategy.produce_consume, .timing = true});
    asio::post(ctx, [] {
        std::this_thread::sleep_for(a_while);
        throw 1;
    });
    BOOST_CHECK_THROW(ctx.run(), int);
    BOOST_TEST((ctx.metrics().run_time.max >= a_while));
}

BOOST_AUTO_TEST_CASE(of_a_pool_of_its_own)
{
    ewyk::worker_pool pool({.max_threads = 1, .timing = true});
    {
        blockade the_thread(pool, 1);
        BOOST_TEST_REQUIRE(the_thread.holds());
        asio::post(pool, [] { std::this_thread::sleep_for(a_while); });
        std::this_thread::sleep_for(a_while);
    }
    pool.wait();
    BOOST_TEST(eventually([&] { return pool.metrics().run_time.count == 2; }));
    auto const m = pool.metrics();
    BOOST_TEST(m.queue_delay.count == 2u);
    BOOST_TEST((m.queue_delay.max >= nearly));
    BOOST_TEST((m.run_time.max >= a_while));
}

BOOST_AUTO_TEST_CASE(of_a_loop_of_its_own)
{
    event done;
    ewyk::event_loop loop({.timing = true});
    asio::post(loop, [] { std::this_thread::sleep_for(a_while); });
    asio::post(loop, [&] { done.set(); });
    BOOST_TEST(done.wait());
    BOOST_TEST(eventually([&] { return loop.metrics().poll_delay.max >= a_while; }));
    // If the two have come in a round each, the second one may still be on its way back.
    BOOST_TEST(eventually([&] { return loop.metrics().run_time.count >= 2; }));
    auto const m = loop.metrics();
    BOOST_TEST((m.run_time.max >= a_while));
    BOOST_TEST(m.queue_delay.count == 2u);
}

BOOST_AUTO_TEST_CASE(nothing_is_measured_unless_asked_for)
{
    ewyk::strategy_context ctx;
    asio::post(ctx, [] {});
    ctx.run();
    BOOST_TEST(ctx.metrics().run_time.buckets.empty());
    BOOST_TEST(ctx.metrics().queue_delay.count == 0u);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
