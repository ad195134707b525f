// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "../memory_support.hpp"
#include "../pool_support.hpp"
#include "trace_support.hpp"

#include <asio_ewyk/detail/diagnostics/json_text.hpp>

BOOST_AUTO_TEST_SUITE(trace)

namespace {

using namespace support;

// Recording ends with the scope.
class recorded
{
public:
    explicit recorded(ewyk::trace::options const& o = {}) { ewyk::trace::start(o); }
    recorded(recorded const&) = delete;
    recorded& operator=(recorded const&) = delete;
    ~recorded() { ewyk::trace::stop(); }
};

struct named_in_traces
{
    void operator()() const {}
};

void post_some(ewyk::strategy_context& ctx, int many)
{
    for (int i = 0; i != many; ++i)
        asio::post(ctx, named_in_traces());
}

template <class Condition>
std::size_t count(written_trace const& t, Condition c)
{
    return static_cast<std::size_t>(std::count_if(t.events.begin(), t.events.end(), c));
}

std::size_t as(written_trace const& t, std::string const& sub)
{
    return count(t, [&](auto const& e) { return e.as == sub; });
}

bool has(written_trace const& t, std::function<bool(support::trace_event const&)> const& condition)
{
    return count(t, condition) != 0;
}

} // namespace

BOOST_AUTO_TEST_CASE(options_that_cannot_work_are_refused)
{
    BOOST_CHECK_EXCEPTION(ewyk::trace::start({.events_per_thread = 0}), std::invalid_argument,
        [](std::invalid_argument const& e) {
            return std::string_view(e.what()).find("events_per_thread") != std::string_view::npos;
        });
    BOOST_TEST(!ewyk::trace::recording());
}

BOOST_AUTO_TEST_CASE(nothing_is_recorded_while_off)
{
    {
        recorded const on;
        BOOST_TEST(ewyk::trace::recording());
    }
    BOOST_TEST(!ewyk::trace::recording());
    ewyk::strategy_context ctx;
    post_some(ctx, 10);
    ctx.run();
    auto const t = write_and_read();
    BOOST_TEST(t.events.empty());
    BOOST_TEST(t.threads.empty());
}

// Whatever the strategy: the handlers by their names, each after it was posted, by its address.
CONTEXT_TEST_CASE(each_post_has_its_run, s)
{
    written_trace t;
    {
        recorded const on;
        context ctx(s);
        post_some(ctx, 50);
        ctx.run();
        t = write_and_read();
    }
    check(t);
    BOOST_TEST(t.dropped == 0);
    // Some are submitted, and then given to the pool.
    BOOST_TEST(t.count('i', "post") >= 50u);
    BOOST_TEST(t.count('B', "consume") == 50u);
    for (auto const& run : t.events)
    {
        if (run.category != "consume")
            continue;
        BOOST_TEST(run.name.find("named_in_traces") != std::string::npos);
        // An address is used again.
        auto const until_then = [&](char const* category) {
            return count(t, [&](auto const& e) {
                return e.category == category && e.task == run.task && e.time <= run.time;
            });
        };
        BOOST_TEST(until_then("post") != 0u);
        BOOST_TEST(until_then("post") >= until_then("consume"));
    }
}

BOOST_AUTO_TEST_CASE(produce_consume_keeps_its_thread)
{
    recorded const on;
    ewyk::strategy_context ctx({.strategy = ewyk::strategy.produce_consume});
    post_some(ctx, 10);
    ctx.run();
    auto const t = write_and_read();
    check(t);
    BOOST_TEST(as(t, "PC") == 10u);
    BOOST_TEST(t.threads.size() == 1u);
    BOOST_TEST(t.count('i', "switch") == 0u);
}

BOOST_AUTO_TEST_CASE(what_is_given_away_runs_on_another_thread)
{
    // Without a grace, since another thread may take over from one that is late to give away.
    ewyk::strategy_context ctx(
        {.strategy = ewyk::strategy.produce_execute_consume, .grace = std::chrono::nanoseconds(0)});
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 2));
    recorded const on;
    post_some(ctx, 10);
    ctx.run();
    auto const t = write_and_read();
    check(t);
    BOOST_TEST(as(t, "PEC") == 10u);
    BOOST_TEST(t.count('i', "switch") == 10u);
    for (auto const& given : t.events)
        if (given.category == "switch")
            BOOST_TEST(has(t, [&](auto const& e) {
                return e.category == "consume" && e.task == given.task && e.time >= given.time
                    && e.thread != given.thread;
            }));
}

// Of a handler that waits for the next one, which another thread runs.
auto recorded_hand_over(std::chrono::nanoseconds grace)
{
    event other_ran;
    ewyk::strategy_context ctx({.strategy = ewyk::strategy.eat_what_you_kill, .grace = grace});
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 2));
    recorded const on;
    asio::post(ctx, [&] { other_ran.wait(); });
    asio::post(ctx, [&] { other_ran.set(); });
    ctx.run();
    auto t = write_and_read();
    check(t);
    return t;
}

// Whether another thread arrives to produce for the same context after such an event.
bool arrives_after(written_trace const& t, std::string const& category)
{
    return has(t, [&](auto const& left) {
        return left.category == category && has(t, [&](auto const& e) {
            return e.category == "arrived" && e.context == left.context && e.time >= left.time
                && e.thread != left.thread;
        });
    });
}

BOOST_AUTO_TEST_CASE(a_hand_over_comes_before_the_next_producer)
{
    auto const t = recorded_hand_over(0ns);
    BOOST_TEST(arrives_after(t, "hand-over"));
    BOOST_TEST(as(t, "EPC") >= 1u);
}

// Again if a thread was late before a task, as then nobody takes over from one.
BOOST_AUTO_TEST_CASE(a_late_task_is_taken_over_from)
{
    auto const is_recorded = [] {
        auto const t = recorded_hand_over(1ms);
        bool all
            = arrives_after(t, "taken over") && has(t, [](auto const& e) { return e.on_lease; });
#if defined(ASIO_EWYK_HAS_LINUX)
        // It says which thread was late, whichever noticed.
        all = all && has(t, [&](auto const& taken) {
            auto const late = t.os_threads.find(taken.late);
            return taken.category == "taken over" && late != t.os_threads.end()
                && late->second != taken.thread && has(t, [&](auto const& e) {
                       return e.category == "consume" && e.time <= taken.time
                           && e.thread == late->second;
                   });
        });
#endif
        return all;
    };
    BOOST_TEST(eventually(is_recorded));
}

BOOST_AUTO_TEST_CASE(a_task_that_says_that_it_blocks_gives_up_production)
{
    event other_ran;
    ewyk::strategy_context ctx({.strategy = ewyk::strategy.eat_what_you_kill, .grace = 24h});
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 2));
    recorded const on;
    asio::post(ctx, [&] {
        ewyk::blocking_section const blocks;
        other_ran.wait();
    });
    asio::post(ctx, [&] { other_ran.set(); });
    ctx.run();
    auto const t = write_and_read();
    check(t);
    BOOST_TEST(t.count('i', "given up") == 1u);
    BOOST_TEST(arrives_after(t, "given up"));
    BOOST_TEST(t.count('i', "taken over") == 0u);
}

BOOST_AUTO_TEST_CASE(products_of_other_producers_are_recorded)
{
    struct counter
    {
        auto produce() { return left-- > 0 ? +[] {} : nullptr; }
        int left = 5;
    };
    ewyk::worker_pool pool;
    counter source;
    ewyk::execution_strategy strategy(source, pool, ewyk::strategy.produce_consume);
    recorded const on;
    strategy.produce();
    auto const t = write_and_read();
    check(t);
    BOOST_TEST(t.count('B', "consume") == 5u);
    BOOST_TEST(t.count('B', "produce") == 6u);
    BOOST_TEST(as(t, "PC") == 5u);
}

BOOST_AUTO_TEST_CASE(event_loops_are_recorded)
{
    written_trace t;
    {
        recorded const on;
        ewyk::event_loop loop({.name = "traced"});
        for (int i = 0; i != 5; ++i)
            asio::post(loop, named_in_traces());
        BOOST_TEST(loop.shutdown_gracefully(0ns, patience));
    }
    t = write_and_read();
    check(t);
    BOOST_TEST(t.count('i', "post") == 5u);
    BOOST_TEST(t.count('B', "consume") == 5u);
    BOOST_TEST(t.count('B', "round") >= 1u);
#if defined(ASIO_EWYK_HAS_LINUX)
    // The thread has ended.
    BOOST_TEST(std::any_of(t.threads.begin(), t.threads.end(),
        [](auto const& thread) { return thread.second.starts_with("traced"); }));
#endif
}

BOOST_AUTO_TEST_CASE(a_full_ring_keeps_the_last_events_and_counts_the_others)
{
    recorded const on({.events_per_thread = 16});
    ewyk::strategy_context ctx({.strategy = ewyk::strategy.produce_consume});
    post_some(ctx, 100);
    ctx.run();
    auto const t = write_and_read();
    check(t);
    // Of each task one of: posted, chosen, begun, ended.
    BOOST_TEST(t.dropped >= 400 - 16);
    BOOST_TEST(t.count('B', "consume") >= 1u);
    BOOST_TEST(t.count('B', "consume") <= 8u);
}

void trace_by_a_thread_that_ends(int tasks)
{
    std::thread([&] {
        ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
        post_some(ctx, tasks);
        ctx.run();
    }).join();
}

BOOST_AUTO_TEST_CASE(threads_that_end_leave_what_they_have_recorded)
{
    recorded const on;
    for (int i = 0; i != 16; ++i)
        trace_by_a_thread_that_ends(1);
    auto const t = write_and_read();
    check(t);
    BOOST_TEST(t.count('B', "consume") == 16u);
    BOOST_TEST(t.dropped == 0);
}

BOOST_AUTO_TEST_CASE(not_for_ever)
{
    recorded const on({.events_per_thread = 100});
    for (int i = 0; i != 100; ++i)
        trace_by_a_thread_that_ends(50);
    auto const t = write_and_read();
    check(t);
    BOOST_TEST(t.count('B', "consume") >= 10u);
    BOOST_TEST(t.dropped >= 100 * 200 - 16 * 100);
    BOOST_TEST(t.threads.size() <= 17u); // of the tests' own thread, too
    trace_by_a_thread_that_ends(1); // the last one is there
    auto const later = write_and_read();
    BOOST_TEST(later.threads.size() <= 17u);
    BOOST_TEST(later.count('B', "consume") < t.count('B', "consume"));
}

BOOST_AUTO_TEST_CASE(spans_that_have_not_ended_are_closed)
{
    recorded const on;
    ewyk::strategy_context ctx({.strategy = ewyk::strategy.produce_consume});
    std::string text;
    asio::post(ctx, [&] {
        std::ostringstream out;
        ewyk::trace::write(out);
        text = out.str();
    });
    ctx.run();
    auto const t = read_trace(text);
    check(t);
    BOOST_TEST(t.count('B', "consume") == 1u);
}

BOOST_AUTO_TEST_CASE(another_start_drops_what_was_recorded)
{
    recorded const on;
    ewyk::strategy_context ctx({.strategy = ewyk::strategy.produce_consume});
    post_some(ctx, 10);
    ctx.run();
    ewyk::trace::start();
    ctx.restart();
    post_some(ctx, 3);
    ctx.run();
    auto const t = write_and_read();
    check(t);
    BOOST_TEST(t.count('B', "consume") == 3u);
}

// With clang++, a sanitizer ends the program that asks for so much.
#if !defined(__clang__) || !defined(ASIO_EWYK_TEST_SANITIZED)

// Tasks run as without a trace.
BOOST_AUTO_TEST_CASE(a_thread_without_memory_for_events_is_counted)
{
    recorded const on({.events_per_thread = std::numeric_limits<std::size_t>::max()});
    ewyk::strategy_context ctx({.strategy = ewyk::strategy.produce_consume});
    post_some(ctx, 10);
    BOOST_TEST(ctx.run() == 10u);
    auto const t = write_and_read();
    BOOST_TEST(t.events.empty());
    BOOST_TEST(t.threads_without_events == 1);
}

#endif

// Names of threads may be any text, and may be cut in the middle of a character.
BOOST_AUTO_TEST_CASE(names_are_valid_text)
{
    using ewyk::detail::json_string;
    BOOST_TEST(json_string("a\"\\\n\x01 \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 \xc3")
        == "\"a\\\"\\\\\\u000a\\u0001 \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 ?\"");
    for (std::string_view const bad : {"\xff", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
             "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"})
        BOOST_TEST(
            boost::json::parse(json_string(bad)).as_string() == std::string(bad.size(), '?'));
}

// start(), stop() and write() race with threads that record, begin and end.
BOOST_AUTO_TEST_CASE(it_may_be_started_and_written_at_any_time)
{
    std::atomic<bool> done{false};
    ewyk::worker_pool pool({.max_threads = 3, .idle_timeout = 1ms});
    ewyk::strategy_context ctx(pool, ewyk::strategy.eat_what_you_kill, 20us);
    auto work = asio::make_work_guard(ctx);
    std::thread caller([&] { ctx.run(); });
    std::thread poster([&] {
        std::atomic<int> left{0};
        while (!done)
        {
            left = 20;
            for (int i = 0; i != 20; ++i)
                asio::post(ctx, [&left] { --left; });
            if (!eventually([&] { return left == 0; }))
                break;
        }
    });
    std::thread switcher([&] {
        while (!done)
        {
            ewyk::trace::start({.events_per_thread = 100});
            std::this_thread::yield();
            ewyk::trace::stop();
        }
    });
    for (int i = 0; i != 30; ++i)
    {
        std::ostringstream out;
        ewyk::trace::write(out);
        std::lock_guard const lock(test_mutex());
        check(read_trace(out.str()));
    }
    done = true;
    switcher.join();
    poster.join();
    work.reset();
    caller.join();
    ewyk::trace::stop();
}

BOOST_AUTO_TEST_SUITE_END()
