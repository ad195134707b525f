// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What metrics() says: every task is counted by exactly one of the sub-strategies, when it begins;
// nothing falls, and nothing is negative.

#include "pool_support.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <type_traits>

using namespace support;

BOOST_AUTO_TEST_SUITE(metrics)

namespace {

using histogram = ewyk::duration_histogram;

static_assert(std::is_aggregate_v<ewyk::strategy_metrics>);
static_assert(std::is_aggregate_v<ewyk::pool_metrics>);
static_assert(std::is_aggregate_v<ewyk::loop_metrics>);
static_assert(std::is_aggregate_v<histogram>);

// What contradicts itself in a snapshot, or in one and an earlier one; empty: nothing. taken_over may
// be more than on_lease: the io_context runs handlers by itself, and these are late as well.
std::string_view wrong_in(ewyk::strategy_metrics const& a, ewyk::strategy_metrics const& b)
{
    using m = ewyk::strategy_metrics;
    for (auto const counter : {&m::produce_consume, &m::produce_invoke_consume,
             &m::produce_execute_consume, &m::execute_produce_consume, &m::on_lease, &m::taken_over,
             &m::not_taken_over, &m::superseded, &m::exceptions})
        if (b.*counter < a.*counter)
            return "a counter that went back";
    if (b.not_taken_over > b.taken_over)
        return "not_taken_over";
    if (b.superseded > b.hand_overs())
        return "superseded";
    if (b.parked_callers > b.callers)
        return "parked_callers";
    if (b.queued > b.queued_max)
        return "queued";
    if (a.queued_max > b.queued_max)
        return "queued_max";
    return {};
}

// Looks at the metrics of something until the end of its life.
template <class Source>
class observer
{
public:
    explicit observer(Source& of)
      : thread_([this, &of](std::stop_token const& stop) {
          auto before = of.metrics();
          while (!stop.stop_requested())
          {
              auto const now = of.metrics();
              if (wrong_.empty())
                  wrong_ = wrong_in(before, now);
              before = now;
          }
      })
    {
    }

    std::string_view wrong()
    {
        thread_ = {};
        return wrong_;
    }

private:
    std::string_view wrong_; // the thread's, then that of the one that joins it
    std::jthread thread_;
};

} // namespace

CONTEXT_TEST_CASE(the_sum_is_what_run_returns, s)
{
    constexpr std::size_t each = 2000;
    support::context ctx(s);
    observer watch(ctx);
    std::atomic<std::size_t> handlers{0};
    auto const any = ctx.get_executor();
    support::executor const kinds[] = {any, asio::require(any, ewyk::invocation.non_blocking),
        asio::require(any, ewyk::invocation.either)};
    for (int round = 0; round != 3; ++round)
    {
        auto work = asio::make_work_guard(ctx);
        std::atomic<int> posting{2};
        std::vector<std::jthread> posters;
        for (int p = 0; p != 2; ++p)
            posters.emplace_back([&] {
                for (std::size_t i = 0; i != each; ++i)
                    asio::post(kinds[i % 3], [&, i] {
                        if (i % 16 == 0)
                            asio::post(ctx, [&] { ++handlers; });
                        if (i % 64 == 0)
                            std::this_thread::yield();
                        ++handlers;
                    });
                if (--posting == 0)
                    work.reset();
            });
        asio::steady_timer timer(ctx, 1ms);
        timer.async_wait([&](auto) { ++handlers; });
        auto const before = ctx.metrics().tasks();
        std::size_t const returned = support::run(ctx);
        auto const m = ctx.metrics();
        BOOST_TEST(m.tasks() - before == returned);
        BOOST_TEST(m.tasks() == handlers);
        BOOST_TEST(m.queued == 0u);
        BOOST_TEST(m.queued_in_pool == 0u);
        BOOST_TEST(m.queued_max >= 1u);
        BOOST_TEST(m.callers == 0u);
        BOOST_TEST((m.strategy == s.strategy));
        ctx.restart();
    }
    BOOST_TEST(watch.wrong() == "");
}

BOOST_AUTO_TEST_CASE(which_sub_strategy)
{
    constexpr int some = 20;
    auto const run = [&](ewyk::strategy_t s, ewyk::invocation_t i, std::size_t threads,
                         std::chrono::nanoseconds grace) {
        ewyk::strategy_context ctx({.strategy = s, .grace = grace, .max_threads = threads});
        deadline const in_time(ctx);
        if (threads > 1)
            BOOST_TEST(warm_up(ctx.pool(), threads));
        for (int n = 0; n != some; ++n)
            asio::post(asio::require(ctx.get_executor(), i), [] {});
        BOOST_TEST(ctx.run() == std::size_t{some});
        BOOST_TEST(ctx.metrics().tasks() == unsigned{some});
        return ctx.metrics();
    };
    using m = ewyk::strategy_metrics;
    auto const all = [&](m const& got, std::uint64_t m::* counter) {
        std::uint64_t const n = got.*counter;
        BOOST_TEST(n == unsigned{some});
    };
    using ewyk::invocation;
    using ewyk::strategy;
    all(run(strategy.produce_consume, invocation.blocking, 4, 0ns), &m::produce_consume);
    all(run(strategy.produce_execute_consume, invocation.blocking, 4, 0ns),
        &m::produce_execute_consume);
    all(run(strategy.eat_what_you_kill, invocation.non_blocking, 4, 0ns), &m::produce_consume);
    all(run(strategy.execute_produce_consume, invocation.blocking, 4, 0ns),
        &m::execute_produce_consume);
    all(run(strategy.eat_what_you_kill, invocation.either, 1, 0ns), &m::produce_invoke_consume);
    all(run(strategy.eat_what_you_kill, invocation.blocking, 1, 0ns), &m::produce_execute_consume);
    all(run(strategy.eat_what_you_kill, invocation.blocking, 4, 24h), &m::on_lease);
}

// With one producer, and a grace that nothing fast overruns. The first one gives the right away, and
// so do those that run where it is then.
BOOST_AUTO_TEST_CASE(a_lazy_hand_over_for_slow_tasks)
{
    constexpr std::size_t fast = 50; // with the slow ones too few for a decision that leases do not pay
    constexpr std::size_t slow = 5;
    ewyk::strategy_context ctx({.grace = 24h, .max_threads = 8});
    deadline const in_time(ctx);
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 8));
    for (std::size_t i = 0; i != fast + slow; ++i)
        asio::post(ctx, [is_slow = i % 11 == 5, &ctx] {
            if (!is_slow)
                return;
            ewyk::blocking_section const section;
            LOCKED_TEST(ctx.metrics().taken_over != 0u);
        });
    BOOST_TEST(ctx.run() == fast + slow);
    auto const m = ctx.metrics();
    BOOST_TEST(m.taken_over <= slow);
    BOOST_TEST(m.hand_overs() == m.taken_over + m.execute_produce_consume);
}

// Also unannounced: another thread takes over while the task still runs.
BOOST_AUTO_TEST_CASE(a_late_task_is_counted_while_it_runs)
{
    ewyk::strategy_context ctx({.grace = 50us, .max_threads = 4});
    deadline const in_time(ctx);
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
    bool seen = false;
    // The thread that has taken over may be late as well, before it waits for I/O.
    asio::post(ctx, [&] { seen = eventually([&] { return ctx.metrics().taken_over != 0; }); });
    ctx.run();
    BOOST_TEST(seen);
    auto const m = ctx.metrics();
    BOOST_TEST(m.on_lease == 1u);
    BOOST_TEST(m.hand_overs() == m.taken_over);
}

BOOST_AUTO_TEST_CASE(who_comes_back_late_is_superseded)
{
    event another;
    ewyk::strategy_context ctx(
        {.strategy = ewyk::strategy.execute_produce_consume, .grace = 0ns, .max_threads = 4});
    deadline const in_time(ctx);
    auto work = asio::make_work_guard(ctx);
    asio::post(ctx, [&] { another.wait(); });
    std::thread caller([&] { ctx.run(); });
    // Of a second handler, which only another producer can have found.
    asio::post(ctx, [&] { another.set(); });
    BOOST_TEST(eventually([&] { return ctx.metrics().superseded != 0; }));
    work.reset();
    caller.join();
    auto const m = ctx.metrics();
    BOOST_TEST(m.execute_produce_consume == 2u);
    BOOST_TEST(m.superseded <= 2u);
}

// The pool's only thread does not come to produce, as no thread is late: it is there for tasks.
STRATEGY_TEST_CASE(the_queue_is_seen_while_the_producer_is_stuck, s)
{
    event begun;
    event release;
    ewyk::strategy_context ctx({.strategy = s, .grace = 24h, .max_threads = 1});
    deadline const in_time(ctx);
    for (std::size_t i = 0; i != 3; ++i)
        asio::post(ctx, [&] {
            begun.set();
            release.wait();
        });
    std::thread caller([&] { ctx.run(); });
    BOOST_TEST(begun.wait());
    std::size_t const before = ctx.metrics().queued;
    std::size_t const in_pool = ctx.metrics().queued_in_pool;
    for (int i = 0; i != 100; ++i)
        asio::post(ctx, [] {});
    auto const seen = [&] {
        auto const m = ctx.metrics();
        return m.queued + m.queued_in_pool;
    };
    // With PEC the producer is not stuck: what it takes goes to the pool's queue.
    BOOST_TEST(eventually([&] { return seen() >= 100; }));
    BOOST_TEST(ctx.metrics().queued <= before + 100);
    BOOST_TEST(ctx.metrics().queued_max >= before);
    BOOST_TEST(in_pool <= 3u);
    BOOST_TEST(ctx.metrics().callers == 1u);
    release.set();
    caller.join();
    BOOST_TEST(seen() == 0u);
    BOOST_TEST(ctx.metrics().tasks() == 103u);
}

// What stop() calls back from the pool's queue has not begun, and is counted once when it does.
BOOST_AUTO_TEST_CASE(a_task_that_is_called_back_counts_once)
{
    event begun;
    event release;
    ewyk::strategy_context ctx({.strategy = ewyk::strategy.produce_execute_consume, .max_threads = 1});
    deadline const in_time(ctx);
    asio::post(ctx, [&] {
        begun.set();
        release.wait();
    });
    for (int i = 0; i != 10; ++i)
        asio::post(ctx, [] {});
    auto work = asio::make_work_guard(ctx);
    std::size_t ran = 0;
    std::thread caller([&] { ran = ctx.run(); });
    BOOST_TEST(begun.wait());
    ctx.stop();
    release.set();
    caller.join();
    ctx.restart();
    work.reset();
    ran += ctx.run();
    BOOST_TEST(ran == 11u);
    BOOST_TEST(ctx.metrics().tasks() == 11u);
    BOOST_TEST(ctx.metrics().queued == 0u);
}

STRATEGY_TEST_CASE(exceptions_that_escaped, s)
{
    catcher in_pool;
    ewyk::strategy_context ctx({.strategy = s,
        .max_threads = 2,
        .on_exception = [&](std::exception_ptr e) { in_pool(e); }});
    deadline const in_time(ctx);
    (void)ctx.load(); // each handler counts from now on, also if run() throws
    for (int i = 0; i != 5; ++i)
        asio::post(ctx, [] { throw std::runtime_error("mine"); });
    for (;;)
        try
        {
            ctx.run();
            break;
        }
        catch (std::runtime_error const&)
        {
        }
    BOOST_TEST(eventually([&] { return ctx.metrics().exceptions == 5; }));
    BOOST_TEST(ctx.metrics().tasks() == 5u);
    // The pool counts one before its handler has it.
    BOOST_TEST(eventually(
        [&] { return ctx.pool().metrics().exceptions == in_pool.caught().size(); }));
}

STRATEGY_TEST_CASE(a_strategy_without_a_context, s)
{
    constexpr std::size_t many = 300;
    std::atomic<std::size_t> ran{0};
    ewyk::worker_pool pool({.max_threads = 4, .on_exception = [](std::exception_ptr) {}});
    source tasks;
    ewyk::execution_strategy strategy(tasks, pool, s);
    observer watch(strategy);
    for (std::size_t i = 0; i != many; ++i)
        tasks.add(job([&] { ++ran; }, i % 2 ? ewyk::invocation.either : ewyk::invocation.blocking));
    strategy.produce();
    BOOST_TEST(eventually([&] { return ran == many; }));
    BOOST_TEST(strategy.metrics().tasks() == many);
    BOOST_TEST(strategy.metrics().queued == 0u);
    // On this thread or on one of the pool.
    tasks.add(job([] { throw std::runtime_error("mine"); }));
    try
    {
        strategy.produce();
    }
    catch (std::runtime_error const&)
    {
    }
    BOOST_TEST(eventually([&] { return strategy.metrics().exceptions == 1; }));
    BOOST_TEST(strategy.metrics().tasks() == many + 1);
    BOOST_TEST(watch.wrong() == "");
}

BOOST_AUTO_TEST_SUITE_END()
