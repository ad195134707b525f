// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Whatever is posted, and wherever it runs: once, and never not at all.

#include "stress.hpp"

#include <latch>

using namespace stress;

BOOST_AUTO_TEST_SUITE(production)

// Four threads post.
BOOST_DATA_TEST_CASE(each_post_runs_once, each_strategy(), s)
{
    constexpr std::size_t posters = 4;
    std::size_t const each = scaled(2'500'000) / posters;
    ewyk::strategy_context context(options(s));
    auto work = std::make_unique<asio::executor_work_guard<ewyk::strategy_executor>>(
        context.get_executor());
    tally ran(posters * each);
    std::atomic<std::size_t> posting{posters};

    crowd threads;
    threads.add(posters, [&](std::size_t poster) {
        post_in_bursts(
            context, poster, each, [&](std::size_t i) { ran.count(poster * each + i); });
        if (--posting == 0)
            work.reset();
    });
    std::size_t const executed = context.run();
    threads.join();
    BOOST_TEST(ran.wrong() == 0u);
    BOOST_TEST(executed == posters * each);
    BOOST_TEST(context.stopped());
}

// Pairs of handlers: one that waits, and one that it waits for, which comes later. As many pairs at a
// time as leave the strategy one thread to go on with.
BOOST_DATA_TEST_CASE(handlers_that_wait_do_not_stop_the_others, each_pool(), s)
{
    // What is given to the pool needs one of its threads.
    bool const offloads = s.strategy != ewyk::strategy_t::execute_produce_consume;
    std::size_t const pairs_at_a_time = offloads ? s.threads - 1 : s.threads;
    if (pairs_at_a_time == 0)
        return;
    // With a grace each of them is late. Where other programs take the CPUs the sentinel does not get
    // one, and it may be a slice of theirs until the watchdog does.
    std::size_t const pairs = scaled(s.grace == 0ns ? 20'000 : 4'000);
    ewyk::strategy_context context(options(s));
    auto const any = context.get_executor();
    auto const quick = asio::require(any, ewyk::invocation.non_blocking);
    auto const either = asio::require(any, ewyk::invocation.either);

    tally waited(pairs);
    tally released(pairs);
    std::vector<std::unique_ptr<std::latch>> latches;
    for (std::size_t i = 0; i != pairs; ++i)
        latches.push_back(std::make_unique<std::latch>(1));
    std::atomic<std::size_t> under_way{0};

    crowd threads;
    auto work = std::make_unique<asio::executor_work_guard<ewyk::strategy_executor>>(any);
    threads.add(1, [&](std::size_t) {
        dice d(s.threads);
        for (std::size_t i = 0; i != pairs; ++i)
        {
            until([&] { return under_way != pairs_at_a_time; });
            ++under_way;
            asio::post(any, [&, i] {
                latches[i]->wait();
                waited.count(i);
                --under_way;
            });
            auto release = [&, i] {
                released.count(i);
                latches[i]->count_down();
            };
            switch (d.roll(3))
            {
            case 0: asio::post(any, release); break;
            case 1: asio::post(quick, release); break;
            case 2: asio::post(either, release); break;
            }
        }
        until([&] { return under_way == 0; });
        work.reset();
    });
    BOOST_TEST(context.run() == 2 * pairs);
    BOOST_TEST(waited.wrong() == 0u);
    BOOST_TEST(released.wrong() == 0u);
}

// Handlers of all kinds that throw now and then, on the callers' threads and on those of the pool. No
// exception is lost, and no handler because of one.
BOOST_DATA_TEST_CASE(each_exception_arrives_once, each_strategy(), s)
{
    std::size_t const handlers = scaled(200'000);
    std::atomic<std::size_t> caught{0};
    auto o = options(s);
    o.on_exception = [&](std::exception_ptr) { ++caught; };
    ewyk::strategy_context context(o);
    auto const any = context.get_executor();
    ewyk::strategy_executor const kinds[] = {any, asio::require(any, ewyk::invocation.non_blocking),
        asio::require(any, ewyk::invocation.either)};
    tally ran(handlers);
    std::atomic<std::size_t> thrown{0};

    auto work = std::make_unique<asio::executor_work_guard<ewyk::strategy_executor>>(any);
    crowd threads;
    threads.add(1, [&](std::size_t) {
        dice d(1);
        std::atomic<std::size_t> done{0};
        for (std::size_t i = 0; i != handlers; ++i)
        {
            asio::post(kinds[d.roll(3)], [&, i, throws = d.roll(10) == 0] {
                ran.count(i);
                ++done;
                if (throws)
                {
                    ++thrown;
                    throw std::runtime_error("as planned");
                }
            });
            if (d.roll(100) == 0)
                until([&] { return done == i + 1; });
        }
        until([&] { return done == handlers; });
        work.reset();
    });
    threads.add(2, [&](std::size_t) {
        for (;;)
            try
            {
                context.run();
                return;
            }
            catch (std::runtime_error const&)
            {
                ++caught;
            }
    });
    threads.join();
    BOOST_TEST(ran.wrong() == 0u);
    BOOST_TEST(thrown != 0u);
    BOOST_TEST(caught == thrown);
}

// The same for what is executed within handlers, at once or later, to a depth.
BOOST_DATA_TEST_CASE(handlers_breed, each_strategy(), s)
{
    ewyk::strategy_context context(options(s));
    std::size_t const families = scaled(2'000);
    constexpr int generations = 6;
    std::atomic<std::size_t> ran{0};

    struct parent
    {
        ewyk::strategy_context& context;
        std::atomic<std::size_t>& ran;
        int left;

        void operator()() const
        {
            ++ran;
            if (left == 0)
                return;
            asio::post(context, parent{context, ran, left - 1});
            asio::defer(context, parent{context, ran, left - 1});
            if (left == 1)
                asio::dispatch(context, parent{context, ran, 0});
        }
    };
    for (std::size_t i = 0; i != families; ++i)
        asio::post(context, parent{context, ran, generations});
    crowd threads;
    threads.add(2, [&](std::size_t) { context.run(); });
    threads.join();
    // 1 + 2 + 4 + ... + 2^generations, and one more from each of the last but one generation.
    std::size_t const family = (std::size_t{2} << generations) - 1 + (std::size_t{1} << (generations - 1));
    BOOST_TEST(ran == families * family);
}

BOOST_AUTO_TEST_SUITE_END()
