// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// How many connections serve accepts in a second.

#include <asio_ewyk/detail/server/accept_rate.hpp>

#include "serve_support.hpp"

#include <deque>
#include <limits>

BOOST_AUTO_TEST_SUITE(serve_rate)

namespace {

using namespace support;

using ewyk::detail::accept_rate;
using ewyk::detail::time_point;

time_point const begin = time_point() + 1h;

// How many are taken until it says no.
std::size_t taken(accept_rate& rate, std::size_t per_second, time_point now)
{
    std::size_t n = 0;
    while (n != 100'000 && rate.take(now, per_second) == 0ns)
        ++n;
    return n;
}

BOOST_AUTO_TEST_CASE(no_limit)
{
    accept_rate rate;
    BOOST_TEST(taken(rate, 0, begin) == 100'000u);
}

BOOST_AUTO_TEST_CASE(one_at_a_time)
{
    accept_rate rate;
    BOOST_TEST(taken(rate, 1, begin) == 1u);
    BOOST_TEST(taken(rate, 1, begin + 999ms) == 0u);
    BOOST_TEST((rate.take(begin + 999ms, 1) == 1ms));
    BOOST_TEST(taken(rate, 1, begin + 1s) == 1u);
    BOOST_TEST(taken(rate, 1, begin + 1h) == 1u); // what was not used is not kept
}

BOOST_AUTO_TEST_CASE(a_burst)
{
    accept_rate rate;
    BOOST_TEST(taken(rate, 1000, begin) == 100u);
    BOOST_TEST(taken(rate, 1000, begin + 10ms) == 10u);
    BOOST_TEST((rate.take(begin + 10ms, 1000) == 1ms));
    BOOST_TEST(taken(rate, 1000, begin + 1h) == 100u);
}

BOOST_AUTO_TEST_CASE(in_the_long_run)
{
    for (std::size_t const per_second : {1u, 3u, 50u, 1000u, 50'000u})
    {
        accept_rate rate;
        std::size_t n = taken(rate, per_second, begin);
        for (time_point now = begin; now < begin + 10s; now += rate.take(now, per_second))
            n += taken(rate, per_second, now);
        BOOST_TEST(n >= 10 * per_second);
        BOOST_TEST(n <= 10 * per_second + per_second / 10 + 1);
    }
}

BOOST_AUTO_TEST_CASE(the_highest_rate)
{
    accept_rate rate;
    BOOST_TEST(taken(rate, std::numeric_limits<std::size_t>::max(), begin) == 100'000u);
}

BOOST_AUTO_TEST_CASE(another_rate)
{
    accept_rate rate;
    BOOST_TEST(taken(rate, 1, begin) == 1u);
    BOOST_TEST(taken(rate, 1, begin) == 0u);
    BOOST_TEST(taken(rate, 1000, begin) == 100u);
    BOOST_TEST(taken(rate, 0, begin) == 100'000u);
}

// Later ones wait, and are served all the same: they were not there sooner than the rate allows.
void serves(ewyk::serve_options options)
{
    options.max_accept_rate = 10;
    ewyk::serve_control const control = options.control;
    outcome over;
    ewyk::event_loop_group workers(2), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    auto const start = std::chrono::steady_clock::now();
    ewyk::serve(std::move(acceptor), workers, echo, std::move(options), over.token());
    for (int i = 0; i != 4; ++i)
        BOOST_TEST(client(where).ask() == 'x');
    BOOST_TEST((std::chrono::steady_clock::now() - start >= 300ms));
    BOOST_TEST(control.metrics().accepted == 4u);
    over.cancel();
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
}

BOOST_AUTO_TEST_CASE(clients_wait_for_their_turn) { serves({}); }

BOOST_AUTO_TEST_CASE(with_a_limit_of_connections) { serves({.max_connections = 1}); }

BOOST_AUTO_TEST_CASE(those_that_are_refused_count)
{
    ewyk::event_loop_group workers(1), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    auto const start = std::chrono::steady_clock::now();
    ewyk::serve(std::move(acceptor), workers, echo,
        {.max_connections = 1, .when_full = ewyk::connections_full::refuse, .max_accept_rate = 10},
        asio::detached);
    client first(where);
    BOOST_TEST(first.ask() == 'x');
    for (int i = 0; i != 3; ++i)
        BOOST_TEST(client(where).receive() == lost);
    BOOST_TEST((std::chrono::steady_clock::now() - start >= 300ms));
}

// While clients wait for their turn.
BOOST_AUTO_TEST_CASE(ends_when_it_is_cancelled)
{
    outcome over;
    ewyk::event_loop_group workers(1), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo, {.max_accept_rate = 1}, over.token());
    std::deque<client> clients;
    for (int i = 0; i != 10; ++i)
        clients.emplace_back(where);
    BOOST_TEST(clients.front().ask() == 'x');
    clients.clear();
    over.cancel();
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
}

}

BOOST_AUTO_TEST_SUITE_END()
