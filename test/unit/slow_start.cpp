// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A system that takes its time to start a thread: what starts one holds nothing that others need
// (jetty/jetty.project#6495). And one that refuses a thread, but not the next.

#include "memory_support.hpp"
#include "pool_support.hpp"

// The sanitizers have a pthread_create() of their own.
#if defined(__GLIBC__) && !defined(ASIO_EWYK_TEST_SANITIZED)

#include <cerrno>

#include <dlfcn.h>
#include <pthread.h>

namespace {

/// A start of a thread that does not come to its end before it is told to.
struct slow_start_gate
{
    support::event begun;
    support::event go_on;
    std::atomic<bool> in_time{false}; // it was told before the test's patience ended

    void pass()
    {
        begun.set();
        in_time = go_on.wait();
    }
};

// For the next thread that this thread starts.
thread_local slow_start_gate* slow_start_next = nullptr;

// Likewise: that is refused.
thread_local bool refuse_next = false;

// While all are: how many were.
std::atomic<bool> refuse_all{false};
std::atomic<int> refused{0};

// Where the stack of this thread was at each start; null if nobody asks.
thread_local std::vector<void*>* starts_from = nullptr;

} // namespace

// In place of the system's, which it calls.
extern "C" int pthread_create(
    pthread_t* thread, pthread_attr_t const* attributes, void* (*f)(void*), void* argument) noexcept
{
    static auto const real
        = reinterpret_cast<decltype(&::pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
    if (starts_from)
        starts_from->push_back(__builtin_frame_address(0));
    if (slow_start_gate* const gate = std::exchange(slow_start_next, nullptr))
        gate->pass();
    if (std::exchange(refuse_next, false))
        return EAGAIN;
    if (refuse_all)
        return ++refused, EAGAIN;
    return real(thread, attributes, f, argument);
}

using namespace support;

BOOST_AUTO_TEST_SUITE(slow_start)

BOOST_AUTO_TEST_CASE(others_use_the_pool_meanwhile)
{
    slow_start_gate gate;
    event ran;
    event ran_too;
    ewyk::worker_pool pool({.max_threads = 4, .reserve = 1});
    blockade first(pool, 1);
    BOOST_TEST_REQUIRE(first.holds());
    hand_overs some(pool);
    std::atomic<bool> executed{false};
    std::thread starter([&] {
        slow_start_next = &gate;
        executed = some.try_execute([] {});
    });
    BOOST_TEST(gate.begun.wait());
    // Each of these takes the pool's lock somewhere.
    first.release();
    BOOST_TEST(eventually([&] { return pool.parked_threads() == 1u; }));
    BOOST_TEST(some.try_execute([&] { ran.set(); }));
    BOOST_TEST(ran.wait());
    pool.execute([&] { ran_too.set(); });
    BOOST_TEST(ran_too.wait());
    BOOST_TEST(pool.metrics().threads == 2u);
    gate.go_on.set();
    starter.join();
    BOOST_TEST(!executed);
    BOOST_TEST(gate.in_time);
    pool.wait();
}

// The right to produce is given up before a thread is asked to take it.
BOOST_AUTO_TEST_CASE(others_produce_meanwhile)
{
    for (auto const s : {ewyk::strategy_t::execute_produce_consume,
             ewyk::strategy_t::eat_what_you_kill})
    {
        slow_start_gate gate;
        event ran_late;
        ewyk::strategy_context ctx({.strategy = s, .grace = 0ns, .max_threads = 4});
        auto const work = asio::make_work_guard(ctx);
        asio::post(ctx, [&] { ran_late.set(); });
        std::thread starter([&] {
            slow_start_next = &gate;
            ctx.run();
        });
        BOOST_TEST(gate.begun.wait());
        bool ran = false;
        asio::post(ctx, asio::bind_executor(
            asio::require(ctx.get_executor(), ewyk::invocation.non_blocking), [&] { ran = true; }));
        ctx.poll();
        BOOST_TEST(ran);
        gate.go_on.set();
        BOOST_TEST(ran_late.wait());
        ctx.stop();
        starter.join();
        BOOST_TEST(gate.in_time);
    }
}

// A stack has room for that, however many are missing.
BOOST_AUTO_TEST_CASE(missing_threads_are_started_one_after_the_other)
{
    constexpr std::size_t missing = 8;
    ewyk::worker_pool pool({.max_threads = 1 + missing});
    ewyk::worker_pool_limits limits = pool.limits();
    limits.max_threads = 1;
    pool.limit(limits);
    blockade all(pool, 1 + missing);
    BOOST_TEST_REQUIRE(eventually([&] { return pool.queued() == missing; }));
    std::vector<void*> from;
    from.reserve(missing);
    limits.max_threads = 1 + missing;
    starts_from = &from;
    pool.limit(limits);
    starts_from = nullptr;
    BOOST_TEST(all.holds());
    BOOST_TEST_REQUIRE(from.size() == missing);
    BOOST_TEST(from == std::vector<void*>(missing, from.front()));
}

// The first of the two threads that look after late tasks: it is started at the next occasion.
BOOST_AUTO_TEST_CASE(a_watchdog_that_was_refused_comes_later)
{
    auto const watched = [] { return ewyk::detail::watchdog::instance().running(); };
    BOOST_TEST_REQUIRE(eventually([&] { return !watched(); }));
    ewyk::strategy_context ctx({.grace = 24h, .max_threads = 2});
    bool then = false;
    asio::post(ctx, [&] { then = watched(); });
    refuse_next = true;
    ctx.run();
    BOOST_TEST(!refuse_next);
    BOOST_TEST(then);
}

// At the limit of processes each task would ask for the sentinel, which takes some 40 us.
BOOST_AUTO_TEST_CASE(after_some_refusals_it_is_asked_seldom)
{
    constexpr int tasks = 20'000;
    // Twice at once, then after 2, 4 ... 512 ms; as long as the test's patience at most.
    int const seldom = 12 + static_cast<int>(patience / 500ms);
    static_assert(tasks > 50 * 3 * (12 + patience / 500ms));
    refused = 0;
    refuse_all = true;
    std::atomic<int> ran{0};
    std::function<void()> next;
    ewyk::strategy_context ctx({.grace = 24h, .max_threads = 4});
    next = [&] {
        if (++ran != tasks)
            asio::post(ctx, next);
    };
    asio::post(ctx, next);
    ctx.run();
    BOOST_TEST(ran == tasks);
    BOOST_TEST(refused <= 3 * seldom); // of the watchdog, the sentinel and a thread in reserve
    refuse_all = false;
}

BOOST_AUTO_TEST_SUITE_END()

#endif
