// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/loop/strategy_context_group.hpp>

#include "../server/serve_support.hpp"
#include <asio_ewyk/loop/chooser.hpp>

#include <algorithm>
#include <deque>
#include <latch>
#include <memory>
#include <stdexcept>
#include <vector>

BOOST_AUTO_TEST_SUITE(strategy_context_group)

namespace {

using namespace support;

BOOST_AUTO_TEST_CASE(waits_for_work_and_joins_when_it_is_done)
{
    std::atomic<int> ran{0};
    ewyk::strategy_context_group group(3);
    BOOST_TEST(group.size() == 3u);
    event first;
    asio::post(group[2], [&] { first.set(); });
    BOOST_TEST_REQUIRE(first.wait());
    for (int i = 0; i != 300; ++i)
        post(group, [&] { ++ran; });
    group.join();
    BOOST_TEST(ran == 300);
    group.join();
}

// All of them can be away at the same time: others produce then, of one pool.
BOOST_AUTO_TEST_CASE(handlers_that_block_stop_none)
{
    constexpr int tasks = 6;
    ewyk::strategy_context_group group(2, {.max_threads = 8});
    std::latch all(tasks);
    for (int i = 0; i != tasks; ++i)
        post(group, [&] { all.arrive_and_wait(); });
    group.join();
    BOOST_TEST(all.try_wait());
    BOOST_TEST(group.pool().threads_started() > 0u);
}

BOOST_AUTO_TEST_CASE(serves)
{
    ewyk::serve_control const control;
    ewyk::strategy_context_group group(2);
    outcome over;
    auto acceptor = tcp::acceptor(group[0], loopback());
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), group, echo, {.control = control}, over.token());
    std::deque<client> clients;
    for (int i = 0; i != 4; ++i)
        BOOST_TEST(clients.emplace_back(where).ask() == 'x');
    BOOST_TEST(control.metrics().open_by_worker == (std::vector<std::size_t>{2, 2}));
    clients.clear();
    over.cancel();
    BOOST_TEST(over.wait());
    group.join();
}

// Each has handlers that own an object of the other.
BOOST_AUTO_TEST_CASE(stops_with_work_left)
{
    census c;
    {
        ewyk::strategy_context_group group(2);
        event running;
        for (std::size_t const i : {0u, 1u})
        {
            auto const timer = std::make_shared<asio::steady_timer>(group[i], 24h);
            timer->async_wait(
                [timer, of_other = asio::steady_timer(group[1 - i], 24h), task = resident(c)](
                    boost::system::error_code) {});
        }
        asio::post(group[1], [&] {
            group.stop();
            running.set();
        });
        BOOST_TEST(running.wait());
        group.join();
    }
    BOOST_TEST(c.made > 0);
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.destroyed == c.made);
}

BOOST_AUTO_TEST_CASE(goes_on_after_an_exception)
{
    std::atomic<int> caught{0};
    std::atomic<int> ran{0};
    ewyk::strategy_context_group group(
        2, {.on_exception = [&](std::exception_ptr) { ++caught; }});
    for (int i = 0; i != 100; ++i)
    {
        post(group, [] { throw std::runtime_error("a task"); });
        post(group, [&] { ++ran; });
    }
    group.join();
    BOOST_TEST(caught == 100);
    BOOST_TEST(ran == 100);
}

BOOST_AUTO_TEST_CASE(hooks_of_its_own_threads)
{
    std::atomic<int> started{0};
    std::atomic<int> stopped{0};
    {
        ewyk::strategy_context_group group(3, {.strategy = ewyk::strategy_t::produce_consume,
                                                  .on_thread_start = [&] { ++started; },
                                                  .on_thread_stop = [&] { ++stopped; }});
    }
    BOOST_TEST(started >= 3);
    BOOST_TEST(stopped == started);
}

BOOST_AUTO_TEST_CASE(size_by_the_rule_of_jetty)
{
    using group = ewyk::strategy_context_group;
    std::size_t const by_cores = std::max<std::size_t>(1, ewyk::detail::usable_cpus() / 2);
    BOOST_TEST(group::default_size(1'000'000) == by_cores);
    BOOST_TEST(group::default_size(1) == 1u);
    BOOST_TEST(group::default_size(47) == std::min<std::size_t>(by_cores, 2));
    BOOST_TEST(group({.max_threads = 4}).size() == 1u);
    BOOST_TEST(group::default_size(0) == ewyk::detail::usable_cpus()); // each is one thread
    BOOST_CHECK_THROW(group(0), std::invalid_argument);
    BOOST_CHECK_THROW(
        group(2, {.min_threads = 1, .max_threads = 0}), std::invalid_argument);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
