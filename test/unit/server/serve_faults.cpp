// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/server/serve.hpp>

#include "serve_support.hpp"
#include <asio_ewyk/strategy_context.hpp>
#include <asio_ewyk/switch_to.hpp>

#include <deque>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(serve_faults)

namespace {

using namespace support;

BOOST_AUTO_TEST_CASE(a_session_that_throws_ends_alone)
{
    std::atomic<int> thrown{0};
    gathering errors;
    ewyk::event_loop_group workers(2), boss(1);
    auto const session = [](tcp::socket socket) -> asio::awaitable<void> {
        char c;
        co_await socket.async_read_some(asio::buffer(&c, 1), asio::use_awaitable);
        if (c == 't')
            throw std::runtime_error("thrown");
        co_await asio::async_write(socket, asio::buffer(&c, 1), asio::use_awaitable);
        co_await echo(std::move(socket));
    };
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, session,
        {.max_connections = 4,
            .on_session_error =
                [&](std::exception_ptr e) {
                    try
                    {
                        std::rethrow_exception(e);
                    }
                    catch (std::runtime_error const&)
                    {
                        ++thrown;
                    }
                    errors.arrive();
                }},
        asio::detached);
    client good(where);
    BOOST_TEST(good.ask('g') == 'g');
    for (int i = 0; i != 10; ++i)
        BOOST_TEST(client(where).ask('t') == lost);
    BOOST_TEST(good.ask('g') == 'g');
    BOOST_TEST(errors.wait_for(10));
    BOOST_TEST(thrown == 10);
}

// A function that returns a coroutine, and throws before.
BOOST_AUTO_TEST_CASE(a_session_that_does_not_begin)
{
    std::atomic<int> calls{0}, errors{0};
    ewyk::event_loop_group workers(2), boss(1);
    auto const session = [&](tcp::socket socket) {
        if (++calls <= 3)
            throw std::runtime_error("no session");
        return echo(std::move(socket));
    };
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, session,
        {.max_connections = 1, .on_session_error = [&](std::exception_ptr) { ++errors; }},
        asio::detached);
    for (int i = 0; i != 3; ++i)
        BOOST_TEST(client(where).receive() == lost);
    BOOST_TEST(client(where).ask() == 'x');
    BOOST_TEST(errors == 3);
}

BOOST_AUTO_TEST_CASE(a_chooser_that_throws_leaves_the_client_waiting)
{
    std::atomic<int> calls{0}, errors{0};
    ewyk::event_loop_group workers(2, {}, [&](auto const&) -> std::size_t {
        return ++calls <= 2 ? 7 : 1;
    });
    ewyk::event_loop boss;
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo,
        {.back_off = 1ms, .on_session_error = [&](std::exception_ptr) { ++errors; }},
        asio::detached);
    BOOST_TEST(client(where).ask() == 'x');
    BOOST_TEST(errors == 2);
}

BOOST_AUTO_TEST_CASE(a_worker_that_refuses)
{
    gathering errors;
    event begun, go_on;
    ewyk::event_loop worker({.max_pending_tasks = 1});
    ewyk::event_loop boss;
    asio::post(worker, [&] {
        begun.set();
        go_on.wait();
    });
    BOOST_TEST(begun.wait());
    asio::post(worker, [] {}); // the one that may wait
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), worker, echo,
        {.back_off = 1ms, .on_session_error = [&](std::exception_ptr) { errors.arrive(); }},
        asio::detached);
    BOOST_TEST(client(where).receive() == lost);
    BOOST_TEST(errors.wait_for(1));
    go_on.set();
    BOOST_TEST(eventually([&] { return is_served(where); }));
}

// The others have its clients, and do not wait for it.
BOOST_AUTO_TEST_CASE(one_of_the_workers_refuses)
{
    event begun, go_on;
    ewyk::event_loop_group workers(4, {.max_pending_tasks = 1});
    ewyk::event_loop boss;
    asio::post(workers[1], [&] {
        begun.set();
        go_on.wait();
    });
    BOOST_TEST(begun.wait());
    asio::post(workers[1], [] {});
    outcome over;
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo, {.back_off = 1h}, over.token());
    for (int i = 0; i != 20; ++i)
        BOOST_TEST_REQUIRE(client(where).ask() == 'x');
    go_on.set();
    over.cancel();
    BOOST_TEST(over.wait());
}

#if defined(ASIO_EWYK_TEST_HAS_NO_DESCRIPTORS)
BOOST_AUTO_TEST_CASE(out_of_descriptors)
{
    std::atomic<int> reports{0}, others{0};
    gathering reported;
    ewyk::serve_control const control;
    ewyk::event_loop_group workers(1), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo,
        {.back_off = 1ms,
            .on_accept_error =
                [&](boost::system::error_code e) {
                    ++(e == asio::error::no_descriptors ? reports : others);
                    reported.arrive();
                },
            .control = control},
        asio::detached);
    client before(where), during, after;
    BOOST_TEST(before.ask() == 'x');
    {
        no_descriptors const none;
        during.connect(where);
        during.send('d');
        BOOST_TEST(reported.wait_for(1));
        BOOST_TEST(before.ask() == 'x');
    }
    BOOST_TEST(during.receive() == 'd');
    after.connect(where);
    BOOST_TEST(after.ask() == 'x');
    BOOST_TEST(control.metrics().accept_errors >= 1u);
    BOOST_TEST(eventually([&] { return control.metrics().backing_off == 0; }));
    BOOST_TEST(reports == 1); // however often it tried
    BOOST_TEST(others == 0);
}
#endif

#if defined(__linux__)
BOOST_AUTO_TEST_CASE(an_acceptor_that_is_broken_ends_the_operation)
{
    outcome over;
    ewyk::event_loop_group workers(1), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    int const descriptor = acceptor.native_handle();
    ewyk::serve(std::move(acceptor), workers, echo, over.token());
    client live(where);
    BOOST_TEST(live.ask() == 'x');
    ::shutdown(descriptor, SHUT_RDWR);
    BOOST_TEST(live.ask() == 'x');
    live.close();
    BOOST_TEST(over.wait());
    BOOST_REQUIRE(over.failure());
    BOOST_CHECK_EXCEPTION(std::rethrow_exception(over.failure()), boost::system::system_error,
        [](auto const& e) { return e.code() == asio::error::invalid_argument; });
}
#endif

// The loop refuses what others submit, but not what ends the operation.
BOOST_AUTO_TEST_CASE(a_boss_that_is_full)
{
    outcome over;
    event begun, go_on;
    ewyk::event_loop worker;
    ewyk::event_loop boss({.max_pending_tasks = 1});
    asio::post(boss, [&] {
        begun.set();
        go_on.wait();
    });
    BOOST_TEST(begun.wait());
    asio::post(boss, [] {}); // the one that may wait
    ewyk::serve(acceptor_of(boss), worker, echo, over.token());
    over.cancel();
    go_on.set();
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
}

// So does a context whose pool is full: then tasks wait that the loop itself would run.
BOOST_AUTO_TEST_CASE(a_boss_whose_pool_is_full)
{
    outcome over;
    event release;
    gathering refused;
    run_by_a_thread<ewyk::strategy_context> boss(ewyk::strategy_options{
        .max_threads = 1, .reserve = 0, .max_queue = 1, .when_full = ewyk::queue_full::reject});
    ewyk::event_loop worker;
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), worker, echo, over.token());
    for (int i = 0; i != 10; ++i)
        try
        {
            boss.pool().execute([&] { release.wait(); });
        }
        catch (ewyk::queue_full_error const&)
        {
            refused.arrive();
        }
    BOOST_TEST(refused.wait_for(1));
    BOOST_TEST(client(where).ask() == 'x');
    release.set();
    over.cancel();
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
}

// A session that throws where it is not at home, while its home is full.
BOOST_AUTO_TEST_CASE(a_session_that_throws_elsewhere)
{
    event begun, go_on, full;
    gathering errors;
    event blocked;
    ewyk::event_loop worker({.max_pending_tasks = 1});
    ewyk::event_loop boss;
    ewyk::worker_pool pool({.max_threads = 1});
    auto const session = [&](tcp::socket) -> asio::awaitable<void> {
        co_await ewyk::switch_to(pool.get_executor());
        begun.set();
        full.wait();
        throw std::runtime_error("thrown");
    };
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), worker, session,
        {.on_session_error = [&](std::exception_ptr) { errors.arrive(); }}, asio::detached);
    client const c(where);
    BOOST_TEST(begun.wait());
    asio::post(worker, [&] {
        blocked.set();
        go_on.wait();
    });
    BOOST_TEST(blocked.wait());
    asio::post(worker, [] {});
    full.set();
    BOOST_TEST(errors.wait_for(1));
    go_on.set();
    worker.shutdown_gracefully(0ms, patience);
    pool.join();
}
}

BOOST_AUTO_TEST_SUITE_END()
