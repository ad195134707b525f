// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Contexts with delays wherever something changes hands: each handler runs once, or is destroyed
// once, whatever is slow.

#include "delays.hpp"

#include <deque>
#include <latch>
#include <optional>

BOOST_AUTO_TEST_SUITE(contexts)

namespace {

using namespace delays;

struct thrown
{
};

std::vector<setting> settings()
{
    auto all = each_pool();
    all.push_back({ewyk::strategy_t::produce_consume, 2});
    return all;
}

setting any_setting(dice& d)
{
    auto const all = settings();
    return all[d.roll(all.size())];
}

// What a handler may do besides.
void behave(dice& d)
{
    switch (d.roll(24))
    {
    case 0:
        std::this_thread::sleep_for(std::chrono::microseconds(d.roll(300)));
        break;
    case 1: {
        ewyk::blocking_section const blocks;
        std::this_thread::sleep_for(std::chrono::microseconds(d.roll(100)));
        break;
    }
    case 2:
        throw thrown();
    default:
        break;
    }
}

template <class Run>
void ignoring(Run run)
{
    for (;;)
        try
        {
            run();
            return;
        }
        catch (thrown)
        {
        }
}

void call(ewyk::strategy_context& ctx, dice& d)
{
    switch (d.roll(6))
    {
    case 0:
        ctx.run_one();
        break;
    case 1:
        ctx.poll();
        break;
    case 2:
        ctx.run_for(std::chrono::microseconds(d.roll(1'000)));
        break;
    default:
        ctx.run();
    }
}

ewyk::strategy_options options_for(setting const& s, dice& d)
{
    auto o = options(s);
    o.reserve = d.roll(s.threads);
    o.idle_timeout = std::chrono::milliseconds(1 + d.roll(3));
    o.on_exception = [](std::exception_ptr) {};
    return o;
}

// A handler, and sometimes another one that it posts.
template <class Executor>
void submit(Executor const& ex, ledger& l, std::size_t seed)
{
    asio::post(ex, entered(l, [ex, &l, seed] {
        dice d(seed);
        if (d.roll(4) == 0)
            asio::post(ex, entered(l, [] {}));
        if (d.roll(8) == 0)
            asio::dispatch(ex, entered(l, [] {}));
        behave(d);
    }));
}

} // namespace

BOOST_DATA_TEST_CASE(each_handler_runs_once, boost::unit_test::data::make(settings()), s)
{
    for (std::size_t n = 0; n != rounds / 4; ++n)
    {
        delayed_round const slow(n);
        dice d(seed() + n);
        ledger l;
        ewyk::strategy_context ctx(options_for(s, d));
        std::atomic<bool> done{false};
        {
            auto const work = asio::make_work_guard(ctx);
            crowd callers;
            callers.add(1 + d.roll(3), [&, first = d.roll(1'000)](std::size_t i) {
                dice mine(first + i);
                while (!done)
                    ignoring([&] { call(ctx, mine); });
            });
            crowd submitters;
            submitters.add(2, [&, first = d.roll(1'000)](std::size_t i) {
                dice mine(first + i);
                for (std::size_t k = 0; k != several(2'000); ++k)
                    submit(ctx.get_executor(), l, mine.roll(1'000'000));
            });
            submitters.join();
            until([&] { return l.gone == l.made; });
            done = true;
            ctx.stop();
        }
        BOOST_TEST(l.ran == l.made);
        BOOST_TEST(l.twice == 0);
    }
}

// The context falls asleep over and over, and has to be woken: a wake-up that is lost ends in a hang.
BOOST_DATA_TEST_CASE(each_burst_wakes_it, boost::unit_test::data::make(settings()), s)
{
    for (std::size_t n = 0; n != rounds / 4; ++n)
    {
        delayed_round const slow(n);
        dice d(seed() + n);
        ledger l;
        ewyk::strategy_context ctx(options_for(s, d));
        crowd callers;
        {
            auto const work = asio::make_work_guard(ctx);
            callers.add(1 + d.roll(2), [&](std::size_t) { ctx.run(); });
            for (std::size_t k = 0; k != several(200); ++k)
            {
                for (std::size_t left = 1 + d.roll(3); left != 0; --left)
                    asio::post(ctx, entered(l, [] {}));
                until([&] { return l.gone == l.made; });
            }
        }
        callers.join();
        BOOST_TEST(l.ran == l.made);
        BOOST_TEST(l.twice == 0);
    }
}

// Pairs of handlers: one that waits, and one that it waits for, which comes later. As many pairs at
// a time as leave the strategy a thread to go on with.
BOOST_DATA_TEST_CASE(handlers_that_wait_do_not_stop_the_others, each_pool(), s)
{
    bool const offloads = s.strategy != ewyk::strategy_t::execute_produce_consume;
    std::size_t const pairs_at_a_time = offloads ? s.threads - 1 : s.threads;
    for (std::size_t n = 0; pairs_at_a_time != 0 && n != rounds / 4; ++n)
    {
        delayed_round const slow(n);
        dice d(seed() + n);
        ledger l;
        ewyk::strategy_context ctx(options_for(s, d));
        auto work = std::make_optional(asio::make_work_guard(ctx));
        std::atomic<std::size_t> waiting{0};
        crowd submitters;
        submitters.add(1, [&](std::size_t) {
            for (std::size_t k = 0; k != several(200); ++k)
            {
                until([&] { return waiting != pairs_at_a_time; });
                ++waiting;
                auto const other = std::make_shared<std::latch>(1);
                asio::post(ctx, entered(l, [&, other] {
                    other->wait();
                    --waiting;
                }));
                constexpr ewyk::invocation_t kinds[] = {ewyk::invocation_t::blocking,
                    ewyk::invocation_t::either, ewyk::invocation_t::non_blocking};
                asio::post(asio::require(ctx.get_executor(), kinds[d.roll(3)]),
                    entered(l, [other] { other->count_down(); }));
            }
            work.reset();
        });
        ctx.run();
        submitters.join();
        BOOST_TEST(l.ran == l.made);
        BOOST_TEST(l.twice == 0);
    }
}

// A submitter goes on while the context is stopped and restarted.
BOOST_DATA_TEST_CASE(stop_and_restart_lose_nothing, boost::unit_test::data::make(settings()), s)
{
    for (std::size_t n = 0; n != rounds / 4; ++n)
    {
        delayed_round const slow(n);
        dice d(seed() + n);
        ledger l;
        ewyk::strategy_context ctx(options_for(s, d));
        std::atomic<std::size_t> submitting{2};
        crowd submitters;
        submitters.add(2, [&, first = d.roll(1'000)](std::size_t i) {
            dice mine(first + i);
            for (std::size_t k = 0; k != several(1'000); ++k)
                submit(ctx.get_executor(), l, mine.roll(1'000'000));
            --submitting;
        });
        while (submitting != 0)
        {
            crowd callers;
            callers.add(1 + d.roll(2), [&](std::size_t) { ignoring([&] { ctx.run(); }); });
            std::this_thread::sleep_for(std::chrono::microseconds(d.roll(500)));
            ctx.stop();
            callers.join();
            ctx.restart();
        }
        submitters.join();
        until([&] {
            ignoring([&] { ctx.run(); });
            ctx.restart();
            return l.gone == l.made;
        });
        BOOST_TEST(l.ran == l.made);
        BOOST_TEST(l.twice == 0);
    }
}

// Several contexts and one small pool; they post to each other, and end while they are busy.
BOOST_AUTO_TEST_CASE(contexts_that_share_a_pool_end_at_any_time)
{
    for (std::size_t n = 0; n != 2 * rounds; ++n)
    {
        delayed_round const slow(n);
        dice d(seed() + n);
        ledger l;
        ewyk::worker_pool pool({.max_threads = 1 + d.roll(4),
            .idle_timeout = std::chrono::milliseconds(1 + d.roll(3)),
            .on_exception = [](std::exception_ptr) {}});
        std::deque<ewyk::strategy_context> all;
        for (int i = 0; i != 3; ++i)
        {
            auto const s = any_setting(d);
            all.emplace_back(pool, s.strategy, s.grace);
        }
        crowd callers;
        for (auto& ctx : all)
            callers.add(d.roll(3), [&](std::size_t) {
                auto const work = asio::make_work_guard(ctx);
                ignoring([&] { ctx.run(); });
            });
        crowd submitters;
        submitters.add(3, [&, first = d.roll(1'000)](std::size_t i) {
            dice mine(first + i);
            for (std::size_t k = 0; k != several(400); ++k)
                submit(all[mine.roll(3)].get_executor(), l, mine.roll(1'000'000));
        });
        if (d.roll(2) == 0)
            std::this_thread::sleep_for(std::chrono::microseconds(d.roll(2'000)));
        else
            submitters.join();
        for (auto& ctx : all)
            ctx.stop();
        callers.join();
        submitters.join();
        all.clear();
        BOOST_TEST(l.gone == l.made);
        BOOST_TEST(l.twice == 0);
    }
}

// Timers that expire while they are cancelled; completions run in place, on lease or captured.
BOOST_AUTO_TEST_CASE(cancelled_waits_complete_once)
{
    for (std::size_t n = 0; n != 2 * rounds; ++n)
    {
        delayed_round const slow(n);
        dice d(seed() + n);
        ledger l;
        auto const s = any_setting(d);
        ewyk::strategy_context ctx(options_for(s, d));
        crowd callers;
        {
            auto const work = asio::make_work_guard(ctx);
            callers.add(1 + d.roll(2), [&](std::size_t) { ignoring([&] { ctx.run(); }); });
            for (std::size_t k = 0; k != several(200); ++k)
            {
                auto const strand = asio::make_strand(ctx.get_executor());
                auto const timer = std::make_shared<asio::steady_timer>(ctx);
                timer->expires_after(std::chrono::microseconds(d.roll(200)));
                timer->async_wait(asio::bind_executor(
                    strand, entered(l, [timer, &l, strand, what = d.roll(1'000'000)] {
                        asio::post(strand, entered(l, [] {}));
                        dice mine(what);
                        behave(mine);
                    })));
                if (d.roll(2) == 0)
                    asio::post(strand, entered(l, [timer] { timer->cancel(); }));
            }
        }
        callers.join();
        BOOST_TEST(l.ran == l.made);
        BOOST_TEST(l.gone == l.made);
        BOOST_TEST(l.twice == 0);
    }
}

BOOST_AUTO_TEST_SUITE_END()
