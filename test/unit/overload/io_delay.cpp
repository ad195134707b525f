// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/overload/shedding.hpp>

#include "../pool_support.hpp"

#include <asio_ewyk/loop/event_loop.hpp>
#include <asio_ewyk/strategy_context.hpp>

#include <memory>
#include <vector>

BOOST_AUTO_TEST_SUITE(io_delay)

namespace {

using namespace support;
using boost::system::error_code;
using ewyk::detail::forever;
using ewyk::detail::shedding;

auto now() { return std::chrono::steady_clock::now(); }

error_code const admitted;

// Of a task that has waited for no time by itself.
error_code judge(shedding& s)
{
    auto const t = now();
    return s.judge(t, forever, t);
}

// Whether something was refused before patience was at its end.
template <class F>
bool refuses(shedding& s, F meanwhile)
{
    auto const end = now() + patience;
    do
    {
        meanwhile();
        if (judge(s) == asio::error::try_again)
            return true;
    } while (now() < end);
    return false;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_byte_arrives)
{
    asio::io_context context;
    auto& delay = *ewyk::detail::io_delay::of(context);
    BOOST_TEST(delay.age(now()).count() == 0);
    auto const sent = now();
    delay.ask(sent, 0ns);
    delay.ask(sent, 0ns);
    BOOST_TEST((delay.age(sent + 1s) == 1s));
    context.run(); // returns, as no other byte is under way
    BOOST_TEST(delay.last().count() > 0);
    BOOST_TEST((delay.last() <= now() - sent + 1ns));
    BOOST_TEST(delay.age(now()).count() == 0);

    auto const first = delay.last();
    delay.ask(sent + 1s, 2s);
    BOOST_TEST(delay.age(sent + 2s).count() == 0);
    delay.ask(sent + 2s, 1s);
    BOOST_TEST((delay.age(sent + 3s) == 1s));
    context.restart();
    context.run();
    BOOST_TEST((delay.last() != first));
}

BOOST_AUTO_TEST_CASE(what_arrives_late_tells_of_an_overload)
{
    asio::io_context context;
    shedding s(1ns, 20ms);
    s.observe(context);
    BOOST_TEST(refuses(s, [&] {
        context.restart();
        context.run();
    }));
    BOOST_TEST(s.metrics().refused == 1u);
    context.restart();
    context.run(); // the last byte
    BOOST_TEST(!s.overloaded(now() + 1h));
}

BOOST_AUTO_TEST_CASE(so_does_a_byte_that_does_not_arrive)
{
    asio::io_context context;
    shedding s(1ns, 20ms);
    s.observe(context);
    BOOST_TEST(refuses(s, [] {}));
}

// Where all threads of the context block nothing is judged; the byte's age still tells.
BOOST_AUTO_TEST_CASE(a_context_that_stands_still_is_overloaded)
{
    asio::io_context context;
    shedding s(10ms, 100ms);
    s.observe(context);
    auto const begin = now();
    BOOST_TEST((judge(s) == admitted));
    BOOST_TEST(!s.overloaded(begin));
    BOOST_TEST(s.overloaded(now() + 111ms));
    BOOST_TEST(s.overloaded(begin + 24h));
    context.run();
    BOOST_TEST(!s.overloaded(begin + 24h));
}

// Neither in the context nor in the queue it has waited for twice the target, but in both together.
BOOST_AUTO_TEST_CASE(both_ways_to_wait_count_together)
{
    asio::io_context context;
    shedding s(40ms, 0ns);
    s.observe(context);
    BOOST_TEST((judge(s) == admitted));
    std::this_thread::sleep_for(60ms);
    context.run(); // the byte has waited for so long
    BOOST_TEST((judge(s) == admitted)); // the first one that is late
    auto const t = now();
    BOOST_TEST((s.judge(t - 60ms, forever, t) == asio::error::try_again));
}

BOOST_AUTO_TEST_CASE(without_an_overload_nothing_is_refused)
{
    asio::io_context context;
    shedding s(1h, 0ns);
    s.observe(context);
    for (int i = 0; i != 1000; ++i)
    {
        BOOST_TEST((judge(s) == admitted));
        context.restart();
        context.run();
    }
    BOOST_TEST(!s.overloaded(now()));
}

BOOST_AUTO_TEST_CASE(a_context_may_end_while_a_byte_is_under_way)
{
    shedding s(1ns, 20ms);
    {
        asio::io_context context;
        s.observe(context);
        BOOST_TEST((judge(s) == admitted));
    }
    ewyk::event_loop loop;
    s.observe(loop);
    BOOST_TEST((judge(s) == admitted));
}

BOOST_AUTO_TEST_CASE(after_the_context_there_is_no_delay)
{
    shedding s(1ns, 0ns);
    {
        asio::io_context context;
        s.observe(context);
        BOOST_TEST((judge(s) == admitted));
        BOOST_TEST(s.overloaded(now() + 1h)); // the byte does not arrive
    }
    BOOST_TEST(!s.overloaded(now() + 1h));
    for (int i = 0; i != 3; ++i)
        BOOST_TEST((judge(s) == admitted));
    BOOST_TEST((s.metrics().queue_delay == 0ns));
    BOOST_TEST(!s.overloaded(now() + 1h));
}

// The queue is empty in between. By a clock of its own, far from that of the bytes that arrive.
BOOST_AUTO_TEST_CASE(bursts_are_no_overload_where_a_context_is_idle)
{
    asio::io_context context;
    shedding s(20ms, 100ms);
    s.observe(context);
    auto at = now() + 1h;
    for (int burst = 0; burst != 20; ++burst, at += 30ms)
        for (auto delay = 0ms; delay != 50ms; delay += 1ms, at += 1ms)
        {
            BOOST_TEST_REQUIRE(!s.judge(at - delay, ewyk::detail::forever, at));
            BOOST_TEST_REQUIRE(!s.overloaded(at));
            context.restart();
            context.run();
        }
}

BOOST_AUTO_TEST_CASE(a_late_byte_of_long_ago_tells_nothing)
{
    asio::io_context context;
    shedding s(20ms, 0ns);
    s.observe(context);
    auto const long_ago = now() - 500ms;
    BOOST_TEST(!s.judge(long_ago, ewyk::detail::forever, long_ago));
    context.run(); // the byte has taken half a second
    BOOST_TEST((ewyk::detail::io_delay::of(context)->last() >= 500ms));
    auto const later = now() + 1h;
    for (int i = 0; i != 3; ++i)
        BOOST_TEST(!s.judge(later, ewyk::detail::forever, later));
}

// The child of a fork has the parent's sockets, and must not take its bytes.
BOOST_AUTO_TEST_CASE(after_a_fork_it_has_sockets_of_its_own)
{
    asio::io_context context;
    auto& delay = *ewyk::detail::io_delay::of(context);
    delay.ask(now(), 0ns);
    context.notify_fork(asio::execution_context::fork_prepare);
    context.notify_fork(asio::execution_context::fork_child);
    context.run();
    BOOST_TEST(delay.last().count() == 0);
    BOOST_TEST(delay.age(now()).count() == 0);
    delay.ask(now(), 0ns);
    context.restart();
    context.run();
    BOOST_TEST(delay.last().count() > 0);
}

// Several threads ask, and those of the context answer.
BOOST_AUTO_TEST_CASE(any_thread_may_ask)
{
    ewyk::strategy_context context({.max_threads = 4});
    shedding s(1ns, 20ms);
    s.observe(context);
    auto work = std::make_unique<asio::executor_work_guard<ewyk::strategy_executor>>(
        context.get_executor());
    std::atomic<int> refused{0};
    std::atomic<int> asking{2};
    std::vector<std::thread> threads;
    for (int i = 0; i != 2; ++i)
        threads.emplace_back([&] { context.run(); });
    for (int i = 0; i != 2; ++i)
        threads.emplace_back([&] {
            if (refuses(s, [] { std::this_thread::yield(); }))
                ++refused;
            if (--asking == 0)
                work.reset();
        });
    for (auto& t : threads)
        t.join();
    BOOST_TEST(refused == 2);
}

BOOST_AUTO_TEST_SUITE_END()
