// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/loop/context_group.hpp>

#include "../support.hpp"

#include <array>
#include <memory>
#include <stdexcept>
#include <string>

BOOST_AUTO_TEST_SUITE(context_group)

namespace {

using namespace support;

struct numbered
{
    std::size_t number;
};

using group = ewyk::context_group<numbered>;

std::unique_ptr<numbered> make(std::size_t i)
{
    return std::make_unique<numbered>(numbered{i});
}

BOOST_AUTO_TEST_CASE(comes_in_turn)
{
    for (std::size_t const size : {1u, 2u, 3u, 8u})
    {
        group g(size, make);
        BOOST_TEST(g.size() == size);
        for (std::size_t i = 0; i != 3 * size; ++i)
            BOOST_TEST(g.next().number == i % size);
    }
}

// Exactly, whichever thread asks.
BOOST_AUTO_TEST_CASE(comes_in_turn_for_several_threads)
{
    constexpr std::size_t size = 3;
    constexpr std::size_t each = 30'000;
    group g(size, make);
    std::array<std::atomic<std::size_t>, size> chosen{};
    std::vector<std::thread> threads;
    for (int t = 0; t != 3; ++t)
        threads.emplace_back([&] {
            for (std::size_t i = 0; i != each; ++i)
                ++chosen[g.next().number];
        });
    for (auto& t : threads)
        t.join();
    for (auto const& n : chosen)
        BOOST_TEST(n == each);
}

BOOST_AUTO_TEST_CASE(a_chooser_of_the_users)
{
    std::size_t wanted = 2;
    group g(3, make, [&](group const& of) {
        BOOST_TEST(of.size() == 3u);
        return wanted;
    });
    BOOST_TEST(g.next().number == 2u);
    wanted = 0;
    BOOST_TEST(g.next().number == 0u);
    wanted = 3;
    BOOST_CHECK_EXCEPTION(g.next(), std::out_of_range, [](auto const& e) {
        return std::string(e.what())
            == "context_group::next: the chooser's index must be less than 3, not 3";
    });
}

BOOST_AUTO_TEST_CASE(shows_all_of_them)
{
    group g(4, make);
    std::size_t i = 0;
    for (numbered& n : g)
    {
        BOOST_TEST(n.number == i);
        BOOST_TEST(&n == &g[i]);
        ++i;
    }
    BOOST_TEST(i == 4u);
    std::size_t sum = 0;
    for (numbered const& n : std::as_const(g))
        sum += n.number;
    BOOST_TEST(sum == 6u);
}

BOOST_AUTO_TEST_CASE(refuses_to_be_empty)
{
    BOOST_CHECK_EXCEPTION(group(0, make), std::invalid_argument, [](auto const& e) {
        return std::string(e.what()) == "context_group: size must be at least 1, not 0";
    });
}

// What works with one context works with several: these share the threads of one pool.
BOOST_AUTO_TEST_CASE(contexts_that_share_a_pool)
{
    std::atomic<int> ran{0};
    ewyk::worker_pool pool({.max_threads = 4});
    {
        ewyk::context_group<ewyk::strategy_context> contexts(
            3, [&](std::size_t) { return std::make_unique<ewyk::strategy_context>(pool); });
        for (int i = 0; i != 300; ++i)
            asio::post(contexts.next(), [&] { ++ran; });
        for (ewyk::strategy_context& c : contexts)
            BOOST_TEST(c.run() == 100u);
    }
    BOOST_TEST(ran == 300);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
