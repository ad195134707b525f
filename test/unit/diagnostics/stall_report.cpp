// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A handler that stalls is reported while it runs, by its name; it waits for that here, and goes on.

#include "stall_support.hpp"

#include <functional>
#include <optional>
#include <sstream>
#include <utility>

#if defined(__unix__)
#include <unistd.h>
#endif

using namespace support;
using kind = asio_ewyk::stall_kind;

BOOST_AUTO_TEST_SUITE(stall_report)

namespace {

/// A handler with a name, which lasts until a report of its kind has come.
struct the_stuck_one
{
    void operator()() const { *seen = all->wait_for(kind::running); }

    reports* all;
    bool* seen;
};

} // namespace

CONTEXT_TEST_CASE(names_a_handler_of_a_context, s)
{
    reports all;
    ewyk::strategy_options o = options(s);
    o.stall_threshold = 5ms;
    o.on_stall = all.callback();
    o.name = "named";
    bool seen = false;
    {
        ewyk::strategy_context ctx(o);
        asio::post(ctx, the_stuck_one{&all, &seen});
        ctx.run();
        BOOST_TEST(all.wait_for(kind::ended));
    }
    BOOST_TEST(seen);
    auto const r = all.first(kind::running);
    BOOST_TEST(contains(r.handler, "the_stuck_one"));
    BOOST_TEST(!contains(r.handler, "binder0"));
    BOOST_TEST(r.context == "named");
    BOOST_TEST((r.time >= 5ms));
    BOOST_TEST(!r.location.has_value());
    BOOST_TEST(r.stack.empty());
    BOOST_TEST(r.suppressed == 0u);
#if defined(ASIO_EWYK_HAS_LINUX)
    BOOST_TEST(r.thread_id != 0);
    BOOST_TEST(!r.thread_name.empty());
#endif
    auto const end = all.first(kind::ended);
    BOOST_TEST(end.handler == r.handler);
    BOOST_TEST(end.thread_id == r.thread_id);
    BOOST_TEST((end.time >= r.time));
}

// Threads that wait for I/O, or are parked, meanwhile are no stall.
CONTEXT_TEST_CASE(says_nothing_of_threads_that_wait, s)
{
    reports all, others;
    ewyk::strategy_options o = options(s);
    o.stall_threshold = 5ms;
    o.on_stall = all.callback();
    ewyk::strategy_context ctx(o);
    ewyk::worker_pool other({.stall_threshold = 5ms, .on_stall = others.callback()});
    auto const look_often = [&](std::size_t n) {
        for (std::size_t i = n; i != n + 4; ++i)
        {
            other.execute([&others, i] { others.wait_for(kind::running, i); });
            others.wait_for(kind::ended, i);
        }
    };
    auto work = asio::make_work_guard(ctx);
    asio::post(ctx, [&] {
        all.wait_for(kind::running);
        look_often(1);
    });
    std::vector<std::thread> callers;
    for (std::size_t i = 0; i != s.callers; ++i)
        callers.emplace_back([&] { ctx.run(); });
    BOOST_TEST(all.wait_for(kind::ended));
    look_often(5);
    work.reset();
    for (auto& t : callers)
        t.join();
    BOOST_TEST(all.count(kind::running) == 1u);
}

// A caller that produces and runs it itself: run() and its siblings are watched like the pool. Again
// if the handler was held up before it came to wait.
BOOST_AUTO_TEST_CASE(names_the_thread_of_a_caller)
{
    auto const seen_asleep = [] {
        reports all;
        ewyk::strategy_options o;
        o.strategy = ewyk::strategy.produce_consume;
        o.stall_threshold = 5ms;
        o.on_stall = all.callback();
        bool seen = false;
        ewyk::strategy_context ctx(o);
        asio::post(ctx, the_stuck_one{&all, &seen});
        BOOST_TEST(ctx.run_one() == 1u);
        BOOST_TEST(seen);
#if defined(ASIO_EWYK_HAS_LINUX)
        BOOST_TEST(all.first(kind::running).thread_id == ::gettid());
        return all.first(kind::running).sleeps;
#else
        return true;
#endif
    };
    BOOST_TEST(eventually(seen_asleep));
}

// Again if the handler was held up, and reported before it had posted.
BOOST_AUTO_TEST_CASE(says_how_many_wait_for_a_loop)
{
    static constexpr auto threshold = 20ms;
    auto const in_time = [] {
        reports all;
        event begun, posted;
        bool seen = false;
        bool quick = false;
        ewyk::event_loop loop(
            {.name = "lane", .stall_threshold = threshold, .on_stall = all.callback()});
        auto const begin = std::chrono::steady_clock::now();
        asio::post(loop, [&] {
            // 20 from here, 30 from there.
            for (int i = 0; i != 20; ++i)
                asio::post(loop, [] {});
            quick = std::chrono::steady_clock::now() - begin < threshold;
            begun.set();
            seen = posted.wait() && all.wait_for(kind::running);
        });
        BOOST_TEST(begun.wait());
        for (int i = 0; i != 30; ++i)
            asio::post(loop, [] {});
        posted.set();
        BOOST_TEST(all.wait_for(kind::running));
        BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
        BOOST_TEST(seen);
        auto const r = all.first(kind::running);
        BOOST_TEST(r.context == "lane");
        // All of them, unless this thread was held up for longer than the threshold.
        BOOST_TEST(r.waiting <= 50u);
        if (quick)
            BOOST_TEST(r.waiting >= 20u);
        return quick;
    };
    BOOST_TEST(eventually(in_time));
}

#if defined(ASIO_EWYK_HAS_LINUX)

namespace {

/// The report of a handler that waits until it has been reported: for another thread, or for input.
template <class Context, class Options>
ewyk::stall_report report_of_one_that_waits(Options o, int tasks_behind, bool for_input = false)
{
    reports all;
    event posted;
    int ends[2];
    BOOST_TEST_REQUIRE(::pipe(ends) == 0);
    bool written = false;
    bool seen = false;
    o.stall_threshold = 20ms;
    o.on_stall = [&, tell = all.callback()](ewyk::stall_report const& r) {
        if (r.kind == kind::running)
            written = ::write(ends[1], "", 1) == 1;
        tell(r);
    };
    {
        Context ctx(o);
        asio::post(ctx, [&] {
            posted.wait();
            char byte;
            seen = for_input ? ::read(ends[0], &byte, 1) == 1 : all.wait_for(kind::running);
        });
        for (int i = 0; i != tasks_behind; ++i)
            asio::post(ctx, [] {});
        posted.set();
        BOOST_TEST(all.wait_for(kind::ended));
    }
    ::close(ends[0]);
    ::close(ends[1]);
    BOOST_TEST((written && seen));
    BOOST_TEST(!all.first(kind::ended).may_wait_for_own_loop);
    return all.first(kind::running);
}

} // namespace

// A loop's handler that sleeps until another thread wakes it, while tasks wait in the loop, may wait
// for one of these. Again if it was held up before it came to wait.
BOOST_AUTO_TEST_CASE(says_that_a_handler_may_wait_for_its_own_loop)
{
    ewyk::event_loop_options const o;
    BOOST_TEST(eventually([&] {
        auto const r = report_of_one_that_waits<ewyk::event_loop>(o, 3);
        std::ostringstream text;
        text << r;
        bool const said = contains(text.str(), "waits for something, perhaps a task of its own loop");
        BOOST_TEST(said == r.may_wait_for_own_loop);
        return r.may_wait_for_own_loop && r.sleeps && r.waiting == 3;
    }));
    // Where no task waits, where it is no thread that is waited for, and where another thread may run
    // the tasks.
    BOOST_TEST(!report_of_one_that_waits<ewyk::event_loop>(o, 0).may_wait_for_own_loop);
    BOOST_TEST(eventually([&] {
        auto const r = report_of_one_that_waits<ewyk::event_loop>(o, 3, true);
        return !r.may_wait_for_own_loop && r.sleeps && r.waiting == 3;
    }));
    ewyk::worker_pool_options const one{.max_threads = 1};
    BOOST_TEST(!report_of_one_that_waits<ewyk::worker_pool>(one, 3).may_wait_for_own_loop);
}

#endif

BOOST_AUTO_TEST_CASE(names_functions_that_a_loop_was_to_run_later)
{
    reports all;
    bool seen = false;
    ewyk::event_loop loop({.stall_threshold = 5ms, .on_stall = all.callback()});
    loop.schedule(1ms, the_stuck_one{&all, &seen});
    BOOST_TEST(all.wait_for(kind::ended));
    BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
    BOOST_TEST(seen);
    BOOST_TEST(contains(all.first(kind::running).handler, "the_stuck_one"));
}

BOOST_AUTO_TEST_CASE(names_tasks_of_a_pool)
{
    reports all;
    bool seen = false;
    ewyk::worker_pool pool(
        {.name = "workers", .stall_threshold = 5ms, .on_stall = all.callback()});
    pool.execute(the_stuck_one{&all, &seen});
    pool.join();
    BOOST_TEST(seen);
    BOOST_TEST(all.first(kind::running).context == "workers");
    BOOST_TEST(contains(all.first(kind::running).handler, "the_stuck_one"));
    // The thread has ended.
    BOOST_TEST(all.wait_for(kind::ended));
}

namespace {

struct one_product
{
    struct product
    {
        explicit operator bool() const noexcept { return f.has_value(); }
        void operator()() { (*f)(); }
        std::optional<the_stuck_one> f;
    };

    product produce() { return {std::exchange(next, std::nullopt)}; }

    std::optional<the_stuck_one> next;
};

} // namespace

BOOST_AUTO_TEST_CASE(names_tasks_of_a_strategy)
{
    reports all;
    bool seen = false;
    ewyk::worker_pool pool({.stall_threshold = 5ms, .on_stall = all.callback()});
    one_product source{the_stuck_one{&all, &seen}};
    {
        ewyk::execution_strategy strategy(source, pool, ewyk::strategy.produce_consume);
        strategy.produce();
    }
    BOOST_TEST(seen);
    BOOST_TEST(contains(all.first(kind::running).handler, "one_product"));
}

// The location is that of the handler that runs, and of no other one. Again if the handler was held
// up, and reported before it had one.
BOOST_AUTO_TEST_CASE(says_the_location_that_it_was_given)
{
    auto const says = [] {
        reports all;
        ewyk::strategy_options o;
        o.strategy = ewyk::strategy.produce_consume;
        o.stall_threshold = 5ms;
        o.on_stall = all.callback();
        ewyk::strategy_context ctx(o);
        int line = 0;
        asio::post(ctx, [&] {
            ewyk::this_invocation::set_location(); line = __LINE__;
            all.wait_for(kind::running, 1);
        });
        asio::post(ctx, [&] { all.wait_for(kind::running, 2); });
        ctx.run();
        BOOST_TEST(all.count(kind::running) == 2u);
        auto const r = all.first(kind::running);
        if (!r.location.has_value())
            return false;
        BOOST_TEST(contains(r.location->file_name(), "stall_report.cpp"));
        BOOST_TEST(r.location->line() == static_cast<unsigned>(line));
        std::ostringstream text;
        text << r;
        BOOST_TEST(contains(text.str(), "stall_report.cpp:" + std::to_string(line)));
        return true;
    };
    BOOST_TEST(eventually(says));
}

// The line of a coroutine has a word, and its location if it is set, instead of the type of what
// resumes it. The report itself has that type. Again if the coroutine was held up, and reported
// before it had a location.
BOOST_AUTO_TEST_CASE(names_a_coroutine_in_a_word)
{
    for (bool const says_where : {true, false})
    {
        std::ostringstream text;
        auto const says = [&] {
            reports all;
            ewyk::strategy_options o;
            o.stall_threshold = 5ms;
            o.on_stall = all.callback();
            ewyk::strategy_context ctx(o);
            using executor = ewyk::strategy_executor;
            auto const stall = [&]() -> asio::awaitable<void, executor> {
                co_await asio::post(ctx, asio::use_awaitable_t<executor>());
                if (says_where)
                    ewyk::this_invocation::set_location();
                all.wait_for(kind::running);
            };
            co_spawn(ctx, stall(), asio::detached);
            ctx.run();
            text.str({});
            text << all.first(kind::running);
            BOOST_TEST(!contains(text.str(), "detail::awaitable_"), text.str());
            BOOST_TEST(contains(all.first(kind::running).handler, "detail::awaitable_"));
            return contains(text.str(), says_where ? ": a coroutine at " : ": a coroutine, ");
        };
        BOOST_TEST(eventually(says), text.str());
    }
}

// On a thread that is in no handler it has no effect, nor on the handler that comes next.
BOOST_AUTO_TEST_CASE(a_location_outside_of_handlers_is_forgotten)
{
    reports all;
    ewyk::this_invocation::set_location();
    ewyk::strategy_options o;
    o.strategy = ewyk::strategy.produce_consume;
    o.stall_threshold = 5ms;
    o.on_stall = all.callback();
    bool seen = false;
    ewyk::strategy_context ctx(o);
    asio::post(ctx, the_stuck_one{&all, &seen});
    ctx.run();
    BOOST_TEST(!all.first(kind::running).location.has_value());
}

namespace {

struct the_stuck_one_in_time
{
    void operator()() const
    {
        begins();
        stuck();
    }

    the_stuck_one stuck;
    std::function<void()> begins;
};

} // namespace

// A handler that runs others is no stall while they come and go; the one inside is one. Again if the
// thread was held up before that one began.
BOOST_AUTO_TEST_CASE(names_the_innermost_handler)
{
    static constexpr auto threshold = 5ms;
    auto const in_time = [] {
        reports all;
        bool seen = false;
        bool quick = false;
        ewyk::strategy_options o;
        o.stall_threshold = threshold;
        o.on_stall = all.callback();
        ewyk::strategy_context outer(o);
        o.name = "inner";
        ewyk::strategy_context inner(o);
        auto const begin = std::chrono::steady_clock::now();
        asio::post(outer, [&] {
            asio::post(inner, the_stuck_one_in_time{{&all, &seen}, [&] {
                quick = std::chrono::steady_clock::now() - begin < threshold;
            }});
            inner.run_one();
        });
        outer.run();
        BOOST_TEST(seen);
        if (quick)
        {
            BOOST_TEST(contains(all.first(kind::running).handler, "the_stuck_one"));
            BOOST_TEST(all.first(kind::running).context == "inner");
        }
        return quick;
    };
    BOOST_TEST(eventually(in_time));
}

// While one context's handler is looked at again and again, nothing is said of another one's, whose
// threshold is far away, nor of a context that has none.
BOOST_AUTO_TEST_CASE(says_nothing_without_a_stall)
{
    reports all, none;
    event end;
    ewyk::worker_pool quiet({.stall_threshold = 1h, .on_stall = none.callback()});
    ewyk::worker_pool off({.stall_threshold = 0ns, .on_stall = none.callback()});
    quiet.execute([&] { end.wait(); });
    off.execute([&] { end.wait(); });
    ewyk::worker_pool watched({.stall_threshold = 5ms, .on_stall = all.callback()});
    for (std::size_t i = 1; i != 6; ++i)
    {
        watched.execute([&all, i] { all.wait_for(kind::running, i); });
        BOOST_TEST(all.wait_for(kind::ended, i));
    }
    for (int i = 0; i != 1000; ++i)
        quiet.execute([] {});
    end.set();
    quiet.join();
    off.join();
    for (auto k : {kind::running, kind::ended})
        BOOST_TEST(none.count(k) == 0u);
}

BOOST_AUTO_TEST_CASE(says_each_stall_once)
{
    reports all, others;
    bool seen = false;
    ewyk::worker_pool pool({.stall_threshold = 5ms, .on_stall = all.callback()});
    ewyk::worker_pool other({.stall_threshold = 5ms, .on_stall = others.callback()});
    pool.execute([&] {
        seen = all.wait_for(kind::running);
        // Meanwhile there are looks enough.
        for (std::size_t i = 1; i != 4; ++i)
        {
            other.execute([&others, i] { others.wait_for(kind::running, i); });
            others.wait_for(kind::ended, i);
        }
    });
    BOOST_TEST(all.wait_for(kind::ended));
    BOOST_TEST(seen);
    BOOST_TEST(all.count(kind::running) == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
