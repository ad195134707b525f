// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The thread that looks for stalls: when it is there, what it costs, and what it survives.

#include "../memory_support.hpp"
#include "stall_support.hpp"

#if defined(ASIO_EWYK_HAS_LINUX)

#include <sys/wait.h>
#include <unistd.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>

BOOST_AUTO_TEST_SUITE(stall_monitor)

namespace {

using namespace support;
using kind_of_stall = ewyk::stall_kind;

/// Nobody waits for its very end, and the system may show the thread for a moment longer.
bool goes()
{
    return eventually([] { return monitors_directory() == ""; });
}

std::string field(std::filesystem::path const& directory, std::string_view key)
{
    std::ifstream status(directory / "status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(key))
            return line.substr(key.size());
    return {};
}

/// A context whose handlers run on the thread that calls this.
ewyk::strategy_options own_thread(reports& all, std::chrono::nanoseconds threshold = 5ms)
{
    ewyk::strategy_options o;
    o.strategy = ewyk::strategy.produce_consume;
    o.stall_threshold = threshold;
    o.on_stall = all.callback();
    return o;
}

/// Whether a handler of the context is reported; with another one, if one is not enough.
bool reports_a_stall(ewyk::strategy_context& ctx, reports& all)
{
    auto const before = all.count(kind_of_stall::running);
    asio::post(ctx, [&] { all.wait_for(kind_of_stall::running, before + 1); });
    ctx.restart();
    ctx.run();
    return all.count(kind_of_stall::running) > before;
}

} // namespace

BOOST_AUTO_TEST_CASE(is_there_while_it_is_needed)
{
    BOOST_TEST_REQUIRE(goes()); // that of another suite
    reports all;
    std::optional<ewyk::strategy_context> first(own_thread(all));
    ewyk::event_loop unused;
    BOOST_TEST(reports_a_stall(*first, all));
    auto const there = monitors_directory();
    BOOST_TEST(there != "");
    BOOST_TEST(field(there, "SigBlk:").find("fffffff") != std::string::npos);
    {
        ewyk::strategy_context second(own_thread(all));
        BOOST_TEST(reports_a_stall(second, all));
        first.reset();
        BOOST_TEST(reports_a_stall(second, all));
    }
    BOOST_TEST(monitors_directory() == there); // for the loop
}

BOOST_AUTO_TEST_CASE(is_gone_with_the_last_context)
{
    reports all;
    for (int i = 0; i != 3; ++i)
    {
        ewyk::strategy_context ctx(own_thread(all));
        BOOST_TEST(reports_a_stall(ctx, all));
    }
    BOOST_TEST(goes());
}

BOOST_AUTO_TEST_CASE(is_not_there_without_a_threshold)
{
    reports none;
    gathering ran;
    ewyk::strategy_context ctx(own_thread(none, 0ns));
    ewyk::event_loop loop({.stall_threshold = 0ns});
    ewyk::worker_pool pool;
    asio::post(ctx, [&] { ran.arrive(); });
    asio::post(loop, [&] { ran.arrive(); });
    asio::post(pool, [&] { ran.arrive(); });
    ctx.run();
    BOOST_TEST(ran.wait_for(3));
    BOOST_TEST(monitors_directory() == "");
}

// It may have to come to rest; a window without a single wake-up must come, and after it a stall
// that is found.
BOOST_AUTO_TEST_CASE(looks_seldom_while_nothing_runs)
{
    reports all;
    ewyk::strategy_context ctx(own_thread(all, 100ms));
    BOOST_TEST(reports_a_stall(ctx, all));
    auto const there = monitors_directory();
    BOOST_TEST_REQUIRE(there != "");
    auto const sleeps = [&] { return std::stol(field(there, "voluntary_ctxt_switches:")); };
    // It has seen that the handler is over, and takes longer steps.
    BOOST_TEST(eventually([&] {
        auto const before = sleeps();
        auto const begin = std::chrono::steady_clock::now();
        std::this_thread::sleep_for(500ms); // the length of the window
        auto const halves = (std::chrono::steady_clock::now() - begin) / 50ms;
        return sleeps() - before <= halves + 1;
    }));
}

BOOST_AUTO_TEST_CASE(misses_no_handler_whenever_it_begins)
{
    reports all;
    // At this threshold it looks each 2 ms: at all moments around that. Several contexts, as there
    // is a limit to what is said of one.
    std::deque<ewyk::strategy_context> contexts;
    for (int i = 0; i != 25; ++i)
        contexts.emplace_back(own_thread(all, 1ms));
    std::size_t next = 0;
    for (auto pause = 0us; pause < 12ms; pause += 61us)
    {
        BOOST_TEST_REQUIRE(reports_a_stall(contexts[next++ % contexts.size()], all));
        std::this_thread::sleep_for(pause);
    }
}

BOOST_AUTO_TEST_CASE(finds_a_stall_among_many_short_handlers)
{
    reports all;
    ewyk::strategy_context ctx(own_thread(all, 20ms));
    ewyk::strategy_context busy({.stall_threshold = 1h});
    std::atomic<bool> enough{false};
    std::function<void()> again = [&] {
        if (!enough)
            asio::post(busy, again);
    };
    asio::post(busy, again);
    std::thread runner([&] { busy.run(); });
    for (int i = 0; i != 8; ++i)
        BOOST_TEST(reports_a_stall(ctx, all));
    enough = true;
    runner.join();
}

// The system refuses the thread: what runs goes on, and the monitor comes when it can.
BOOST_AUTO_TEST_CASE(a_monitor_that_cannot_start)
{
    reports all;
    BOOST_TEST_REQUIRE(goes()); // that of the case before
    no_more_threads fault;
    if (!fault.in_force())
        return;
    ewyk::strategy_context ctx(own_thread(all));
    bool ran = false;
    asio::post(ctx, [&] { ran = true; });
    ctx.run();
    BOOST_TEST(ran);
    BOOST_TEST(monitors_directory() == "");
    fault.lift();
    ewyk::strategy_context another(own_thread(all)); // has it start
    BOOST_TEST(reports_a_stall(ctx, all));
}

namespace {

/// A pool that is more than that: its constructor and destructor run while the pool is looked at.
struct pool_of_ours : ewyk::worker_pool
{
    using worker_pool::worker_pool;
    virtual ~pool_of_ours() = default;
};

} // namespace

// Contexts come and go while it looks at them and reports them.
BOOST_AUTO_TEST_CASE(contexts_may_go_while_it_looks)
{
    constexpr int rounds = 50;
    std::atomic<int> told{0};
    auto const count = [&](ewyk::stall_report const& r) { told += static_cast<int>(r.time.count() != 0); };
    gathering all_begun;
    std::vector<std::thread> threads;
    for (int t = 0; t != 3; ++t)
        threads.emplace_back([&, t] {
            all_begun.arrive_and_wait_for(3);
            for (int i = 0; i != rounds; ++i)
            {
                if (t == 0)
                {
                    ewyk::event_loop loop({.stall_threshold = 1us, .on_stall = count});
                    for (int j = 0; j != 10; ++j)
                        asio::post(loop, [] { std::this_thread::sleep_for(200us); });
                    loop.shutdown_gracefully(0ms, 1ms);
                }
                else if (t == 1)
                {
                    pool_of_ours pool({.stall_threshold = 1us, .on_stall = count});
                    for (int j = 0; j != 10; ++j)
                        pool.execute([] { std::this_thread::sleep_for(200us); });
                    std::this_thread::sleep_for(1ms);
                }
                else
                {
                    ewyk::strategy_options o;
                    o.stall_threshold = 1us;
                    o.on_stall = count;
                    ewyk::strategy_context ctx(o);
                    for (int j = 0; j != 10; ++j)
                        asio::post(ctx, [] { std::this_thread::sleep_for(200us); });
                    ctx.run_for(1ms);
                }
            }
        });
    for (auto& t : threads)
        t.join();
    BOOST_TEST(goes());
}

// The destructor waits for the callback, so that may use what lives as long as the context.
BOOST_AUTO_TEST_CASE(a_context_waits_for_its_callback)
{
    std::atomic<bool> inside{false};
    std::atomic<bool> left{false};
    event entered;
    {
        ewyk::worker_pool pool({.stall_threshold = 1ms, .on_stall = [&](ewyk::stall_report const&) {
                                    inside = true;
                                    entered.set();
                                    std::this_thread::sleep_for(50ms);
                                    left = true;
                                }});
        pool.execute([&] { entered.wait(); });
        entered.wait();
        pool.stop();
    }
    BOOST_TEST(inside);
    BOOST_TEST(left);
}

// The child of a fork, announced or not, has a monitor of its own as soon as it needs one.
BOOST_AUTO_TEST_CASE(goes_on_after_a_fork)
{
    constexpr int right = 42;
    reports all;
    ewyk::strategy_context ctx(own_thread(all));
    BOOST_TEST(reports_a_stall(ctx, all));
    for (bool const announced : {false, true})
    {
#ifdef ASIO_EWYK_TEST_SANITIZED
        if (!announced)
            continue; // a sanitizer ends the child of a process with threads
#endif
        std::cout.flush(); // or the child would write what waits to be written, too
        if (announced)
        {
            ctx.notify_fork(asio::execution_context::fork_prepare);
            BOOST_TEST(goes());
        }
        pid_t const child = ::fork();
        if (child == 0)
        {
            ::alarm(100); // no test case looks after it
            if (announced)
                ctx.notify_fork(asio::execution_context::fork_child);
            bool good = announced ? reports_a_stall(ctx, all) : monitors_directory() == "";
            {
                reports others;
                ewyk::strategy_context another(own_thread(others));
                good = good && reports_a_stall(another, others) && reports_a_stall(ctx, all);
            }
            ::_exit(good ? right : 1);
        }
        if (announced)
            ctx.notify_fork(asio::execution_context::fork_parent);
        BOOST_TEST_REQUIRE(child > 0);
        BOOST_TEST(reports_a_stall(ctx, all));
        int status = 0;
        BOOST_TEST_REQUIRE(::waitpid(child, &status, 0) == child);
        BOOST_TEST_REQUIRE(WIFEXITED(status));
        BOOST_TEST(WEXITSTATUS(status) == right);
    }
}

// As with a pool whose threads run a context: they wait there for work.
BOOST_AUTO_TEST_CASE(a_handler_that_runs_a_context_is_none_of_its_handlers)
{
    reports of_inner;
    reports of_other;
    ewyk::strategy_options o;
    o.stall_threshold = 5ms;
    o.on_stall = of_inner.callback();
    ewyk::strategy_context inner(o);
    auto work = asio::make_work_guard(inner);
    ewyk::worker_pool pool({.on_stall = of_inner.callback()});
    asio::post(pool, [&] { inner.run(); });
    std::atomic<bool> ran{false};
    asio::post(inner, [&] { ran = true; });
    BOOST_TEST(eventually([&] { return ran.load(); }));

    // It is looked at as often as the inner one, which would have been reported long before.
    ewyk::worker_pool other({.stall_threshold = 50ms, .on_stall = of_other.callback()});
    asio::post(other, [&] { of_other.wait_for(kind_of_stall::running); });
    BOOST_TEST(of_other.wait_for(kind_of_stall::ended));
    // The short one itself may have been held up; then its end was told as well.
    BOOST_TEST(eventually([&] {
        return of_inner.count(kind_of_stall::running) == of_inner.count(kind_of_stall::ended);
    }));
    work.reset();
    pool.join();
}

BOOST_AUTO_TEST_SUITE_END()

#endif
