// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// steady_timer on a strategy_context: what Boost.Asio's own tests expect of its timers, and more.

#include "support.hpp"

#include <array>
#include <memory>
#include <numeric>

using namespace support;
using boost::system::error_code;
using std::chrono::steady_clock;
using concrete_timer =
    asio::basic_waitable_timer<steady_clock, asio::wait_traits<steady_clock>, executor>;

BOOST_AUTO_TEST_SUITE(drop_in_timer)

CONTEXT_TEST_CASE(expires_and_not_too_early, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 20ms);
    auto const expiry = timer.expiry();
    steady_clock::time_point at;
    timer.async_wait([&](error_code ec) {
        LOCKED_TEST(!ec, ec.message());
        at = steady_clock::now();
    });
    run(ctx);
    BOOST_TEST((at >= expiry));
}

CONTEXT_TEST_CASE(with_the_concrete_executor, s)
{
    context ctx(s);
    concrete_timer timer(ctx.get_executor());
    timer.expires_after(1ms);
    bool expired = false;
    timer.async_wait([&](error_code ec) { expired = !ec; });
    run(ctx);
    BOOST_TEST(expired);
}

// A timer that has expired before the wait still completes through the context.
CONTEXT_TEST_CASE(a_wait_on_the_past_is_not_completed_inside_the_call, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, steady_clock::now() - 1s);
    bool completed = false;
    timer.async_wait([&](error_code ec) { completed = !ec; });
    BOOST_TEST(!completed);
    run(ctx);
    BOOST_TEST(completed);
}

CONTEXT_TEST_CASE(many_timers_each_once, s)
{
    constexpr int count = 2000;
    context ctx(s);
    std::vector<std::unique_ptr<asio::steady_timer>> timers;
    std::vector<std::atomic<int>> fired(count);
    for (int i = 0; i < count; ++i)
    {
        auto const n = static_cast<std::size_t>(i);
        // Neither sorted nor all different: the heap has something to do.
        timers.push_back(std::make_unique<asio::steady_timer>(
            ctx, std::chrono::microseconds((i * 7919) % 20000)));
        timers.back()->async_wait([&fired, n](error_code ec) { fired[n] += ec ? 1000 : 1; });
    }
    run(ctx);
    for (auto const& f : fired)
        BOOST_TEST_REQUIRE(f == 1);
}

// Several threads pop the timers of a plain io_context, and may swap neighbours. A context that has
// one producer at a time completes them in the order of their expiry, and a strand keeps it. One
// that is late may have taken a timer that has not come to the strand, and another one the next.
CONTEXT_TEST_CASE(a_strand_sees_the_order_of_expiry, s)
{
    constexpr int count = 50;
    if (s.callers > 1)
        return;
    context ctx(where_nothing_is_late(s));
    auto const strand = asio::make_strand(ctx);
    auto const start = steady_clock::now();
    std::vector<std::unique_ptr<asio::steady_timer>> timers;
    std::vector<int> order;
    for (int i = 0; i < count; ++i)
    {
        int const rank = (i * 17) % count;
        timers.push_back(std::make_unique<asio::steady_timer>(
            ctx, start + std::chrono::microseconds(100 * rank)));
        timers.back()->async_wait(
            asio::bind_executor(strand, [&order, rank](error_code) { order.push_back(rank); }));
    }
    run(ctx);
    std::vector<int> expected(count);
    std::iota(expected.begin(), expected.end(), 0);
    BOOST_TEST(order == expected, boost::test_tools::per_element());
}

CONTEXT_TEST_CASE(cancel_from_a_handler, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 1h);
    std::array<error_code, 2> seen;
    std::size_t cancelled = 0;
    timer.async_wait([&](error_code ec) { seen[0] = ec; });
    timer.async_wait([&](error_code ec) { seen[1] = ec; });
    asio::post(ctx, [&] { cancelled = timer.cancel(); });
    run(ctx);
    BOOST_TEST(cancelled == 2u);
    BOOST_TEST((seen[0] == asio::error::operation_aborted));
    BOOST_TEST((seen[1] == asio::error::operation_aborted));
}

CONTEXT_TEST_CASE(cancel_one_takes_the_oldest, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 1h);
    auto const strand = asio::make_strand(ctx);
    std::vector<int> aborted;
    for (int i = 0; i < 3; ++i)
        timer.async_wait(asio::bind_executor(strand, [&aborted, &timer, i](error_code ec) {
            LOCKED_TEST((ec == asio::error::operation_aborted));
            aborted.push_back(i);
            timer.cancel_one();
        }));
    asio::post(strand, [&] { timer.cancel_one(); });
    run(ctx);
    BOOST_TEST(aborted == (std::vector<int>{0, 1, 2}), boost::test_tools::per_element());
}

CONTEXT_TEST_CASE(a_new_expiry_aborts_the_old_wait, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 1h);
    error_code first;
    bool second = false;
    timer.async_wait([&](error_code ec) { first = ec; });
    asio::post(ctx, [&] {
        LOCKED_TEST(timer.expires_after(1ms) == 1u);
        timer.async_wait([&](error_code ec) { second = !ec; });
    });
    run(ctx);
    BOOST_TEST((first == asio::error::operation_aborted));
    BOOST_TEST(second);
}

CONTEXT_TEST_CASE(a_timer_destroyed_while_waiting_aborts_the_wait, s)
{
    context ctx(s);
    auto timer = std::make_unique<asio::steady_timer>(ctx, 1h);
    error_code seen;
    timer->async_wait([&](error_code ec) { seen = ec; });
    asio::post(ctx, [&] { timer.reset(); });
    run(ctx);
    BOOST_TEST((seen == asio::error::operation_aborted));
}

// An earlier expiry than the one the context is waiting for must interrupt that wait.
CONTEXT_TEST_CASE(an_earlier_timer_from_outside_interrupts_the_wait, s)
{
    context ctx(s);
    asio::steady_timer late(ctx, 1h);
    late.async_wait([](error_code) {});
    std::thread outside([&] {
        asio::steady_timer early(ctx, 1ms);
        bool expired = false;
        std::mutex mutex;
        std::condition_variable changed;
        early.async_wait([&](error_code) {
            std::lock_guard const lock(mutex);
            expired = true;
            changed.notify_one();
        });
        std::unique_lock lock(mutex);
        bool const in_time = changed.wait_for(lock, patience, [&] { return expired; });
        LOCKED_TEST(in_time);
        asio::post(ctx, [&] { late.cancel(); });
    });
    run(ctx);
    outside.join();
}

CONTEXT_TEST_CASE(expiry_is_what_was_set, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx);
    BOOST_TEST((timer.expiry() == steady_clock::time_point()));
    auto const at = steady_clock::now() + 1h;
    BOOST_TEST(timer.expires_at(at) == 0u);
    BOOST_TEST((timer.expiry() == at));
    auto const before = steady_clock::now();
    timer.expires_after(1h);
    BOOST_TEST((timer.expiry() >= before + 1h));
    BOOST_TEST(timer.cancel() == 0u);
    BOOST_TEST(timer.cancel_one() == 0u);
}

CONTEXT_TEST_CASE(waits_in_the_calling_thread, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 5ms);
    auto const expiry = timer.expiry();
    timer.wait();
    BOOST_TEST((steady_clock::now() >= expiry));
    error_code ec = asio::error::would_block;
    timer.wait(ec); // has expired: returns at once
    BOOST_TEST(!ec);
}

// Waits again and again, each time for what `next` sets.
template <class Next>
struct ticking
{
    asio::steady_timer& timer;
    int& left;
    Next next;

    void operator()(error_code ec) const
    {
        LOCKED_TEST(!ec, ec.message());
        if (--left == 0)
            return;
        next();
        timer.async_wait(*this);
    }
};

template <class Next>
ticking(asio::steady_timer&, int&, Next) -> ticking<Next>;

CONTEXT_TEST_CASE(ticks_at_equal_distances, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 1ms);
    auto const start = timer.expiry();
    int left = 10;
    timer.async_wait(
        ticking{timer, left, [&timer] { timer.expires_at(timer.expiry() + 1ms); }});
    run(ctx);
    BOOST_TEST(left == 0);
    BOOST_TEST((timer.expiry() == start + 9ms));
}

CONTEXT_TEST_CASE(a_chain_of_short_timers, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx);
    int left = 300;
    timer.async_wait(ticking{timer, left, [&timer] { timer.expires_after(10us); }});
    run(ctx);
    BOOST_TEST(left == 0);
}

CONTEXT_TEST_CASE(cancelling_too_late_changes_nothing, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 1ms);
    error_code result = asio::error::would_block;
    timer.async_wait([&](error_code ec) { result = ec; });
    run(ctx);
    BOOST_TEST(timer.cancel() == 0u);
    ctx.restart();
    BOOST_TEST(ctx.poll() == 0u);
    BOOST_TEST(!result);
}

// A handler that is already queued when the timer is cancelled still sees success.
CONTEXT_TEST_CASE(a_queued_completion_cannot_be_cancelled, s)
{
    if (!s.serial)
        return;
    context ctx(s);
    std::array<error_code, 2> result{asio::error::would_block, asio::error::would_block};
    asio::steady_timer first(ctx, steady_clock::now() - 1s);
    asio::steady_timer second(ctx, steady_clock::now() - 1s);
    std::size_t cancelled = 99;
    auto const handler = [&](std::size_t me, asio::steady_timer& other) {
        return [&, me](error_code ec) {
            result[me] = ec;
            if (cancelled == 99)
                cancelled = other.cancel();
        };
    };
    first.async_wait(handler(0, second));
    second.async_wait(handler(1, first));
    run(ctx);
    // Both have expired, but a context need not take the two from the timer queue at once.
    auto const aborted = (result[0] == asio::error::operation_aborted ? 1u : 0u)
        + (result[1] == asio::error::operation_aborted ? 1u : 0u);
    BOOST_TEST(cancelled == aborted);
    BOOST_TEST((result[0] != asio::error::would_block));
    BOOST_TEST((result[1] != asio::error::would_block));
}

CONTEXT_TEST_CASE(moved_timers_keep_their_waits, s)
{
    context ctx(s);
    asio::steady_timer first(ctx, 1h);
    std::atomic<int> kept{0};
    std::atomic<int> overwritten{0};
    first.async_wait([&](error_code) { ++kept; });
    asio::steady_timer second(std::move(first));
    asio::steady_timer third(ctx, 1h);
    third.async_wait([&](error_code ec) { overwritten += ec ? 1 : 100; });
    third = std::move(second); // its own wait ends, the other's goes on
    ctx.poll();
    BOOST_TEST(eventually([&] { return overwritten == 1; }));
    BOOST_TEST(kept == 0);
    BOOST_TEST(third.cancel() == 1u);
    run(ctx);
    BOOST_TEST(kept == 1);
}

CONTEXT_TEST_CASE(timers_of_other_clocks, s)
{
    context ctx(s);
    asio::system_timer system(ctx, 1ms);
    asio::high_resolution_timer high(ctx, 1ms);
    std::atomic<int> expired{0};
    system.async_wait([&](error_code ec) { expired += ec ? 100 : 1; });
    high.async_wait([&](error_code ec) { expired += ec ? 100 : 1; });
    run(ctx);
    BOOST_TEST(expired == 2);
}

CONTEXT_TEST_CASE(a_timer_belongs_to_its_executor, s)
{
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    asio::steady_timer timer(strand);
    BOOST_TEST((timer.get_executor() == asio::any_io_executor(strand)));
    BOOST_TEST(
        (asio::steady_timer(ctx).get_executor() == asio::any_io_executor(ctx.get_executor())));
    BOOST_TEST((concrete_timer(ctx.get_executor()).get_executor() == ctx.get_executor()));
}

// Waiting handlers count as work, and so do those of a timer made from a strand or an erased
// executor.
CONTEXT_TEST_CASE(a_wait_keeps_run_running, s)
{
    context ctx(s);
    asio::steady_timer a(ctx, 1h);
    asio::steady_timer b(asio::make_strand(ctx), 1h);
    concrete_timer c(ctx.get_executor(), 1h);
    std::atomic<int> aborted{0};
    auto const count = [&](error_code) { ++aborted; };
    auto const goes_on = [&] {
        ctx.run_for(1ms);
        return !ctx.stopped();
    };
    a.async_wait(count);
    BOOST_TEST(goes_on());
    a.cancel();
    b.async_wait(count);
    BOOST_TEST(goes_on());
    b.cancel();
    c.async_wait(count);
    BOOST_TEST(goes_on());
    c.cancel();
    run(ctx);
    BOOST_TEST(ctx.stopped());
    BOOST_TEST(aborted == 3);
}

BOOST_AUTO_TEST_SUITE_END()
