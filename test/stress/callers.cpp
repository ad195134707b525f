// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Threads that call run() and its siblings, in each other's way.

#include "stress.hpp"

#include <array>
#include <latch>

using namespace stress;

BOOST_AUTO_TEST_SUITE(callers)

namespace {

using guard = asio::executor_work_guard<ewyk::strategy_executor>;

// Posts handlers of all kinds from two threads, waiting now and then; resets the guard at the end.
void post_all(ewyk::strategy_context& context, tally& ran, std::size_t each, std::unique_ptr<guard>& work,
    crowd& threads)
{
    auto const posting = std::make_shared<std::atomic<int>>(2);
    threads.add(2, [&context, &ran, each, &work, posting](std::size_t poster) {
        auto const any = context.get_executor();
        ewyk::strategy_executor const kinds[] = {any,
            asio::require(any, ewyk::invocation.non_blocking), asio::require(any, ewyk::invocation.either)};
        dice d(poster);
        std::atomic<std::size_t> done{0};
        for (std::size_t i = 0; i != each; ++i)
        {
            asio::post(kinds[d.roll(3)], [&ran, &done, n = poster * each + i] {
                ran.count(n);
                ++done;
            });
            if (d.roll(16) == 0)
                until([&] { return done == i + 1; });
        }
        until([&] { return done == each; });
        if (--*posting == 0)
            work.reset();
    });
}

}

// The sum of what all calls of run() return is the number of handlers, wherever they ran.
BOOST_DATA_TEST_CASE(several_run, each_strategy(), s)
{
    std::size_t const each = scaled(100'000);
    ewyk::strategy_context context(options(s));
    auto work = std::make_unique<guard>(context.get_executor());
    tally ran(2 * each);
    std::atomic<std::size_t> executed{0};
    crowd threads;
    post_all(context, ran, each, work, threads);
    threads.add(3, [&](std::size_t) { executed += context.run(); });
    threads.join();
    BOOST_TEST(ran.wrong() == 0u);
    BOOST_TEST(executed == 2 * each);
}

BOOST_DATA_TEST_CASE(some_run_some_step_some_poll, each_strategy(), s)
{
    std::size_t const each = scaled(60'000);
    ewyk::strategy_context context(options(s));
    auto work = std::make_unique<guard>(context.get_executor());
    tally ran(2 * each);
    crowd threads;
    post_all(context, ran, each, work, threads);
    threads.add(2, [&](std::size_t) { context.run(); });
    threads.add(1, [&](std::size_t) {
        while (context.run_one() != 0)
            ;
    });
    threads.add(1, [&](std::size_t) {
        dice d(7);
        while (!context.stopped())
            switch (d.roll(4))
            {
            case 0: context.poll(); break;
            case 1: context.poll_one(); break;
            case 2: context.run_one_for(std::chrono::microseconds(d.roll(50))); break;
            case 3: context.run_for(std::chrono::microseconds(d.roll(50))); break;
            }
    });
    threads.join();
    BOOST_TEST(ran.wrong() == 0u);
}

// Only callers are left to produce that take one handler at a time.
BOOST_DATA_TEST_CASE(all_step, each_strategy(), s)
{
    std::size_t const each = scaled(60'000);
    ewyk::strategy_context context(options(s));
    auto work = std::make_unique<guard>(context.get_executor());
    tally ran(2 * each);
    crowd threads;
    post_all(context, ran, each, work, threads);
    threads.add(3, [&](std::size_t) {
        while (context.run_one() != 0)
            ;
    });
    threads.join();
    BOOST_TEST(ran.wrong() == 0u);
}

// Two callers that step, and handlers that wait for each other: as with two threads of an io_context.
BOOST_DATA_TEST_CASE(steppers_relieve_each_other, each_strategy(), s)
{
    if (s.strategy == ewyk::strategy_t::produce_consume)
        return; // one handler at a time
    std::size_t const rounds = scaled(5'000);
    ewyk::strategy_context context(options(s));
    auto work = std::make_unique<guard>(context.get_executor());
    std::atomic<std::size_t> met{0};
    crowd threads;
    threads.add(1, [&](std::size_t) {
        for (std::size_t i = 0; i != rounds; ++i)
        {
            std::latch meeting(2);
            std::atomic<int> left{2};
            for (int k = 0; k != 2; ++k)
                asio::post(context, [&] {
                    meeting.arrive_and_wait();
                    ++met;
                    --left;
                });
            until([&] { return left == 0; });
        }
        work.reset();
    });
    threads.add(2, [&](std::size_t) {
        while (context.run_one() != 0)
            ;
    });
    threads.join();
    BOOST_TEST(met == 2 * rounds);
}

// All threads but one wait, the callers' and the pool's: the one that is left must notice that
// it produces.
BOOST_AUTO_TEST_CASE(callers_relieve_each_other)
{
    constexpr int callers = 3;
    std::size_t const rounds = scaled(20'000);
    ewyk::strategy_context context(options({ewyk::strategy.execute_produce_consume, 1}));
    auto work = std::make_unique<guard>(context.get_executor());
    crowd threads;
    threads.add(callers, [&](std::size_t) { context.run(); });
    for (std::size_t i = 0; i != rounds; ++i)
    {
        std::latch meeting(callers + 1);
        std::atomic<int> left{callers + 1};
        for (int k = 0; k <= callers; ++k)
            asio::post(context, [&] {
                meeting.arrive_and_wait();
                --left;
            });
        until([&] { return left == 0; });
    }
    work.reset();
    threads.join();
    BOOST_TEST(context.stopped());
}

// One handler starts while the other caller is busy; when that one is free again it must go on, although
// the first one still waits.
BOOST_DATA_TEST_CASE(a_stepper_that_is_late_goes_on, each_strategy(), s)
{
    if (s.strategy == ewyk::strategy_t::produce_consume)
        return;
    for (std::size_t round = 0; round != scaled(1'000); ++round)
    {
        std::latch busy(1);
        std::latch free(1);
        std::latch served(1);
        ewyk::strategy_context context(options(s));
        asio::post(context, [&] {
            busy.count_down();
            free.wait();
        });
        crowd threads;
        threads.add(1, [&](std::size_t) {
            while (context.run_one() != 0)
                ;
        });
        busy.wait();
        asio::post(context, [&] {
            asio::post(context, [&] { served.count_down(); });
            free.count_down();
            served.wait();
        });
        while (context.run_one() != 0)
            ;
        threads.join();
        BOOST_REQUIRE(context.stopped());
    }
}

BOOST_DATA_TEST_CASE(stop_and_restart_while_others_post, each_strategy(), s)
{
    std::size_t const rounds = scaled(1'000);
    ewyk::strategy_context context(options(s));
    guard const work(context.get_executor());
    std::atomic<bool> enough{false};
    std::atomic<std::size_t> ran{0};
    std::atomic<std::size_t> posted{0};

    // One that posts itself, so that there always is something to run.
    struct again
    {
        ewyk::strategy_context& context;
        std::atomic<bool>& enough;

        void operator()() const
        {
            if (!enough)
                asio::post(context, again(*this));
        }
    };
    asio::post(context, again{context, enough});
    crowd posters;
    posters.add(2, [&](std::size_t poster) {
        dice d(poster);
        while (!enough)
        {
            if (posted - ran < 1'000)
            {
                ++posted;
                asio::post(context, [&] { ++ran; });
            }
            if (d.roll(8) == 0)
                std::this_thread::yield();
        }
    });
    dice d(11);
    for (std::size_t round = 0; round != rounds; ++round)
    {
        crowd runners;
        runners.add(1 + d.roll(3), [&](std::size_t i) { i == 2 ? context.run_one() : context.run(); });
        for (std::size_t n = d.roll(20); n != 0; --n)
            std::this_thread::yield();
        context.stop();
        runners.join();
        BOOST_REQUIRE(context.stopped());
        context.restart();
    }
    enough = true;
    posters.join();
    // What is left is not lost.
    crowd runners;
    runners.add(1, [&](std::size_t) { context.run(); });
    until([&] { return ran == posted; });
    context.stop();
    runners.join();
    BOOST_TEST(ran == posted);
}

// The last caller leaves while a thread of the pool waits inside the io_context, and another one comes.
BOOST_DATA_TEST_CASE(one_leaves_at_its_deadline_as_another_one_comes, each_strategy(), s)
{
    std::size_t const rounds = scaled(2'000);
    ewyk::strategy_context context(options(s));
    guard const work(context.get_executor());
    dice d(3);
    std::atomic<std::size_t> ran{0};
    std::size_t posted = 0;
    for (std::size_t round = 0; round != rounds; ++round)
    {
        std::atomic<bool> gone{false};
        crowd threads;
        threads.add(1, [&, time = std::chrono::microseconds(d.roll(200))](std::size_t) {
            context.run_for(time);
            gone = true;
        });
        for (std::size_t n = d.roll(3); n != 0; --n, ++posted)
            asio::post(context, [&] { ++ran; });
        threads.add(1, [&, yields = d.roll(10)](std::size_t) {
            for (std::size_t n = yields; n != 0; --n)
                std::this_thread::yield();
            context.run();
        });
        // The first one returns while the second one is still inside.
        until([&] { return gone.load(); });
        context.stop();
        threads.join();
        context.restart();
    }
    while (context.poll() != 0)
        ;
    until([&] { return ran == posted; });
    BOOST_TEST(ran == posted);
}

#ifdef BOOST_ASIO_HAS_LOCAL_SOCKETS
// run_for() is over at the first opportunity; what the sockets do meanwhile must go on in the next one.
BOOST_DATA_TEST_CASE(echoes_in_tiny_turns, each_strategy(), s)
{
    using asio::local::stream_protocol;
    std::size_t const round_trips = scaled(5'000);
    constexpr std::size_t connections = 4;
    ewyk::strategy_context context(options(s));
    std::atomic<std::size_t> done{0};

    auto const echo = [](stream_protocol::socket socket) -> asio::awaitable<void> {
        std::array<char, 64> buffer;
        try
        {
            for (;;)
                co_await asio::async_write(socket,
                    asio::buffer(buffer, co_await socket.async_read_some(
                        asio::buffer(buffer), asio::use_awaitable)), asio::use_awaitable);
        }
        catch (boost::system::system_error const&)
        {
            // The other end is closed.
        }
    };
    auto const ask = [&](stream_protocol::socket socket) -> asio::awaitable<void> {
        std::array<char, 16> sent{};
        std::array<char, 16> received{};
        for (std::size_t i = 0; i != round_trips; ++i)
        {
            sent.fill(static_cast<char>(i % 64));
            co_await asio::async_write(socket, asio::buffer(sent), asio::use_awaitable);
            co_await asio::async_read(socket, asio::buffer(received), asio::use_awaitable);
            if (received != sent)
                throw std::logic_error("the echo is not what was said");
        }
        ++done;
    };
    auto const rethrow = [](std::exception_ptr e) {
        if (e)
            std::rethrow_exception(e);
    };
    for (std::size_t i = 0; i != connections; ++i)
    {
        stream_protocol::socket a(context);
        stream_protocol::socket b(context);
        asio::local::connect_pair(a, b);
        asio::co_spawn(context, echo(std::move(a)), rethrow);
        asio::co_spawn(context, ask(std::move(b)), rethrow);
    }
    dice d(5);
    while (!context.stopped())
        context.run_for(std::chrono::microseconds(d.roll(100)));
    BOOST_TEST(done == connections);
}
#endif

// Each handler is outstanding work until its end, also where the last one posts the next from the pool.
BOOST_DATA_TEST_CASE(run_returns_when_there_is_no_work_and_not_before, each_strategy(), s)
{
    std::size_t const rounds = scaled(4'000);
    ewyk::strategy_context context(options(s));
    dice d(9);
    for (std::size_t round = 0; round != rounds; ++round)
    {
        std::size_t const length = 1 + d.roll(8);
        std::atomic<std::size_t> ran{0};
        std::atomic<bool> ended{false};
        struct link
        {
            ewyk::strategy_context& context;
            std::atomic<std::size_t>& ran;
            std::atomic<bool>& ended;
            std::size_t left;

            void operator()() const
            {
                for (std::size_t n = left % 3; n != 0; --n)
                    std::this_thread::yield();
                if (left != 1)
                    asio::post(context, link{context, ran, ended, left - 1});
                ++ran;
                if (left == 1)
                    ended = true;
            }
        };
        asio::post(context, link{context, ran, ended, length});
        crowd threads;
        std::atomic<int> early{0};
        threads.add(1 + d.roll(2), [&](std::size_t) {
            context.run();
            early += !ended;
        });
        threads.join();
        BOOST_REQUIRE(early == 0);
        BOOST_REQUIRE(ran == length);
        context.restart();
    }
}

BOOST_AUTO_TEST_SUITE_END()
