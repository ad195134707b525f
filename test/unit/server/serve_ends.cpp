// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// How serve ends.

#include <asio_ewyk/server/serve.hpp>

#include "serve_support.hpp"
#include <asio_ewyk/strategy_context.hpp>

#include <deque>

BOOST_AUTO_TEST_SUITE(serve_ends)

namespace {

using namespace support;

// Serves clients that come and go until `end` has destroyed what serves them.
template <class Boss, class Workers, class End>
void destroy_under_load(Boss& boss, Workers& workers, End end)
{
    census handlers;
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(
        std::move(acceptor), workers,
        [kept = resident(handlers)](tcp::socket socket) { return echo(std::move(socket)); },
        {.max_connections = 8}, resident(handlers));
    std::atomic<bool> over{false};
    gathering answered;
    std::thread load([&] {
        while (!over)
            if (is_served(where))
                answered.arrive();
    });
    BOOST_TEST(answered.wait_for(20));
    end();
    over = true;
    load.join();
    BOOST_TEST(handlers.made == handlers.destroyed);
}

// As everywhere in Asio: what has not ended is destroyed with the contexts.
BOOST_AUTO_TEST_CASE(contexts_may_be_destroyed_with_the_operation)
{
    using context = run_by_a_thread<ewyk::strategy_context>;
    for (int i = 0; i != 10; ++i)
    {
        auto boss = std::make_unique<ewyk::event_loop>();
        auto workers = std::make_unique<ewyk::event_loop_group>(2);
        destroy_under_load(*boss, *workers, [&] {
            boss.reset();
            workers.reset();
        });
        auto group = std::make_unique<ewyk::event_loop_group>(2);
        destroy_under_load(*group, *group, [&] { group.reset(); });
        auto both = std::make_unique<context>();
        destroy_under_load(*both, *both, [&] { both.reset(); });
    }
}

BOOST_AUTO_TEST_CASE(a_worker_that_is_stopped_ends_the_operation)
{
    outcome over;
    ewyk::event_loop worker, boss;
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), worker, echo, over.token());
    client c(where);
    BOOST_TEST(c.ask() == 'x');
    worker.stop();
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
#if defined(ASIO_EWYK_HAS_LINUX)
    BOOST_TEST(c.receive() == lost);
#endif
}

// They run nothing any more, but are still there; sessions that wait in them will never end.
BOOST_AUTO_TEST_CASE(workers_that_are_shut_down_end_the_operation)
{
    outcome over;
    ewyk::event_loop_group workers(2), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo, over.token());
    client first(where), second(where);
    BOOST_TEST(first.ask() == 'x');
    BOOST_TEST(second.ask() == 'x');
    BOOST_TEST(workers.shutdown_gracefully(0ms, patience));
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
    BOOST_CHECK_THROW(client{where}, boost::system::system_error);
}

// Clients that come all the time do not keep a worker from its quiet period.
BOOST_AUTO_TEST_CASE(workers_that_are_shut_down_under_load)
{
    outcome over;
    std::atomic<bool> enough{false};
    gathering answered;
    ewyk::event_loop_group workers(2), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo, over.token());
    std::thread load([&] {
        while (!enough)
            if (is_served(where))
                answered.arrive();
    });
    BOOST_TEST(answered.wait_for(20));
    auto const begin = std::chrono::steady_clock::now();
    BOOST_TEST(workers.shutdown_gracefully(200ms, patience));
    BOOST_TEST((std::chrono::steady_clock::now() - begin < patience / 2));
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
    enough = true;
    load.join();
}

// It has been told to shut down, but has not ended.
BOOST_AUTO_TEST_CASE(a_worker_that_is_about_to_end)
{
    outcome over;
    event running, release;
    ewyk::event_loop worker, boss;
    asio::post(worker, [&] {
        running.set();
        release.wait();
    });
    BOOST_TEST(running.wait());
    auto ended = worker.async_shutdown_gracefully(0ms, patience, asio::use_future);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), worker, echo, over.token());
    BOOST_TEST(over.wait());
    BOOST_CHECK_THROW(client{where}, boost::system::system_error);
    release.set();
    BOOST_CHECK_NO_THROW(ended.get());
}

// As if that had come later: no thread would ever run a session there.
BOOST_AUTO_TEST_CASE(workers_that_ended_before)
{
    for (bool const began : {true, false})
    {
        outcome over;
        ewyk::event_loop_group workers(2), boss(1);
        for (auto& worker : workers)
            if (began)
                worker.start();
        BOOST_TEST(workers.shutdown_gracefully(0ms, patience));
        auto acceptor = acceptor_of(boss);
        auto const where = acceptor.local_endpoint();
        ewyk::serve(std::move(acceptor), workers, echo, over.token());
        BOOST_TEST(over.wait());
        BOOST_TEST(!over.failure());
        BOOST_CHECK_THROW(client{where}, boost::system::system_error);
    }
}

BOOST_AUTO_TEST_CASE(a_boss_that_ended_before)
{
    auto const is_refusal = [](boost::system::system_error const& e) {
        return e.code() == asio::error::operation_aborted;
    };
    ewyk::event_loop_group workers(1);
    ewyk::event_loop boss;
    boss.stop();
    BOOST_CHECK_EXCEPTION(ewyk::serve(boss, workers, loopback(), echo, asio::detached),
        boost::system::system_error, is_refusal);
    BOOST_CHECK_EXCEPTION(ewyk::serve(acceptor_of(boss), workers, echo, asio::detached),
        boost::system::system_error, is_refusal);
}

// It listens on another one of them.
BOOST_AUTO_TEST_CASE(one_loop_of_the_boss_ended_before)
{
    for (std::size_t ended : {0u, 1u})
        for (bool const several : {false, true})
        {
            outcome over;
            ewyk::event_loop_group workers(1), boss(2);
            boss[ended].stop();
            auto const where = [] {
                asio::io_context context;
                return tcp::acceptor(context, loopback()).local_endpoint();
            }();
            ewyk::serve(boss, workers, where, echo, {.reuse_port = several}, over.token());
            for (int i = 0; i != 10; ++i)
                BOOST_TEST(client(where).ask() == 'x');
            over.cancel();
            BOOST_TEST(over.wait());
        }
}

#if defined(__linux__)
// The operation completes there, so it must do so now; the other loop's sessions are waited for.
BOOST_AUTO_TEST_CASE(the_first_loop_of_the_boss_is_a_worker_and_shut_down)
{
    std::atomic<int> ended{0};
    std::promise<int> ended_before;
    ewyk::event_loop_group group(2, {}, [](auto const&) { return std::size_t{1}; });
    auto const where = [] {
        asio::io_context context;
        return tcp::acceptor(context, loopback()).local_endpoint();
    }();
    auto const session = [&](tcp::socket socket) -> asio::awaitable<void> {
        co_await echo(std::move(socket));
        ++ended;
    };
    ewyk::serve(group, group, where, session, {.reuse_port = true},
        [&](std::exception_ptr) { ended_before.set_value(ended); });
    client c(where);
    BOOST_TEST(c.ask() == 'x');
    auto done = group[0].async_shutdown_gracefully(patience / 2, patience, asio::use_future);
    BOOST_TEST(c.ask() == 'x');
    c.close();
    BOOST_TEST(ended_before.get_future().get() == 1);
    group[0].stop();
    done.wait();
}

// The other one goes on, in both parts.
BOOST_AUTO_TEST_CASE(a_loop_that_is_boss_and_worker_is_shut_down)
{
    outcome over;
    ewyk::event_loop_group group(2);
    auto const where = [] {
        asio::io_context context;
        return tcp::acceptor(context, loopback()).local_endpoint();
    }();
    ewyk::serve(group, group, where, echo, {.reuse_port = true}, over.token());
    BOOST_TEST(group[1].shutdown_gracefully(0ms, patience));
    for (int i = 0; i != 20; ++i)
        BOOST_TEST(client(where).ask() == 'x');
    over.cancel();
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
}

// The others go on.
BOOST_AUTO_TEST_CASE(one_loop_of_the_boss_is_shut_down)
{
    outcome over;
    ewyk::event_loop_group workers(1), boss(2);
    auto const where = [] {
        asio::io_context context;
        return tcp::acceptor(context, loopback()).local_endpoint();
    }();
    ewyk::serve(boss, workers, where, echo, {.reuse_port = true}, over.token());
    BOOST_TEST(boss[1].shutdown_gracefully(0ms, patience));
    for (int i = 0; i != 20; ++i)
        BOOST_TEST(client(where).ask() == 'x');
    over.cancel();
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
}
#endif

// The handler's executor has work from the beginning, and is the only one that it keeps.
BOOST_AUTO_TEST_CASE(a_handler_of_another_context)
{
    asio::io_context mine;
    asio::cancellation_signal signal;
    bool called = false;
    {
        ewyk::event_loop worker;
        asio::io_context boss;
        ewyk::serve(boss, worker, loopback(), echo,
            asio::bind_cancellation_slot(signal.slot(),
                asio::bind_executor(mine, [&](std::exception_ptr) { called = true; })));
        BOOST_TEST(mine.poll() == 0u);
        BOOST_TEST(!mine.stopped());
        signal.emit(asio::cancellation_type::total);
        boss.run();
    }
    BOOST_TEST(!called);
    mine.run();
    BOOST_TEST(called);
}

BOOST_AUTO_TEST_CASE(the_session_is_destroyed_before_the_completion)
{
    for (int i = 0; i != 50; ++i)
    {
        census sessions;
        ewyk::event_loop worker, boss;
        auto acceptor = acceptor_of(boss);
        auto const where = acceptor.local_endpoint();
        asio::cancellation_signal signal;
        std::promise<int> left;
        ewyk::serve(
            std::move(acceptor), worker,
            [kept = resident(sessions)](tcp::socket s) { return echo(std::move(s)); },
            asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr) {
                left.set_value(sessions.made - sessions.destroyed);
            }));
        BOOST_TEST(client(where).ask() == 'x');
        signal.emit(asio::cancellation_type::total);
        BOOST_TEST(left.get_future().get() == 0);
        boss.shutdown_gracefully(0ms, patience);
    }
}

BOOST_AUTO_TEST_CASE(cancelled_while_clients_come)
{
    std::deque<outcome> outcomes;
    ewyk::event_loop_group workers(2), boss(2);
    for (int i = 0; i != 20; ++i)
    {
        outcome& over = outcomes.emplace_back();
        auto acceptor = acceptor_of(boss);
        auto const where = acceptor.local_endpoint();
            ewyk::serve(std::move(acceptor), workers, echo, {.max_connections = 2}, over.token());
        std::atomic<bool> enough{false};
        std::thread load([&] {
            try
            {
                while (!enough)
                    client(where).send('x');
            }
            catch (boost::system::system_error const&)
            {
            }
        });
        client c;
        try
        {
            c.connect(where);
            c.ask();
        }
        catch (boost::system::system_error const&)
        {
        }
        over.cancel();
        c.close();
        BOOST_TEST(over.wait());
        BOOST_TEST(!over.failure());
        enough = true;
        load.join();
    }
}

}

BOOST_AUTO_TEST_SUITE_END()
