// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/loop/chooser.hpp>

#include "../pool_support.hpp"
#include <asio_ewyk/loop/event_loop_group.hpp>
#include <asio_ewyk/strategy_context.hpp>

#include <array>

BOOST_AUTO_TEST_SUITE(chooser)

namespace {

using namespace support;

std::array<int, 2> choose_of_two(ewyk::event_loop_group& group, int n)
{
    std::array<int, 2> chosen{};
    for (int i = 0; i != n; ++i)
        ++chosen[&group.next() == &group[1]];
    return chosen;
}

BOOST_AUTO_TEST_CASE(loops_that_have_nothing_to_do_come_in_turn)
{
    ewyk::event_loop_group group(3, {}, ewyk::least_loaded());
    for (std::size_t i = 0; i != 9; ++i)
        BOOST_TEST(&group.next() == &group[i % 3]);
}

BOOST_AUTO_TEST_CASE(one_whose_tasks_wait_gets_none)
{
    event begun;
    event release;
    ewyk::event_loop_group group(2, {}, ewyk::least_loaded());
    asio::post(group[0], [&] {
        begun.set();
        release.wait();
    });
    BOOST_TEST_REQUIRE(begun.wait());
    group.next(); // the first look at what waits
    asio::post(group[0], [] {});
    BOOST_TEST(eventually([&] { return choose_of_two(group, 100)[0] == 0; }));
    release.set();
    // Both in turn, once it has caught up for long enough.
    BOOST_TEST(eventually([&] { return choose_of_two(group, 100)[0] == 50; }));
    BOOST_TEST(group.shutdown_gracefully(0ms, patience));
}

BOOST_AUTO_TEST_CASE(other_contexts_that_have_a_load)
{
    ewyk::context_group<ewyk::strategy_context> group(
        2, [](std::size_t) { return std::make_unique<ewyk::strategy_context>(); },
        ewyk::least_loaded());
    for (std::size_t i = 0; i != 4; ++i)
        BOOST_TEST(&group.next() == &group[i % 2]);
    asio::post(group[0], [] {});
    BOOST_TEST(eventually([&] {
        return &group.next() == &group[1] && &group.next() == &group[1];
    }));
}

BOOST_AUTO_TEST_CASE(one_that_has_ended_is_left_out)
{
    ewyk::event_loop_group group(2, {}, ewyk::least_loaded());
    BOOST_TEST(choose_of_two(group, 10)[0] == 5);
    for (ewyk::event_loop& loop : group)
        loop.start();
    group[1].shutdown_gracefully(0ms, patience);
    BOOST_TEST(choose_of_two(group, 100)[1] == 0);
    group[0].shutdown_gracefully(0ms, patience);
    auto const chosen = choose_of_two(group, 100);
    BOOST_TEST(chosen[0] + chosen[1] == 100);
}

BOOST_AUTO_TEST_CASE(several_threads_choose)
{
    constexpr std::size_t each = 20'000;
    std::atomic<std::size_t> of_the_group{0};
    ewyk::event_loop_group group(3, {}, ewyk::least_loaded());
    for (ewyk::event_loop& loop : group)
        loop.start();
    std::vector<std::thread> threads;
    for (int t = 0; t != 3; ++t)
        threads.emplace_back([&] {
            for (std::size_t i = 0; i != each; ++i)
            {
                ewyk::event_loop const* const next = &group.next();
                of_the_group += next == &group[0] || next == &group[1] || next == &group[2];
            }
        });
    for (auto& t : threads)
        t.join();
    BOOST_TEST(of_the_group == 3 * each);
}

BOOST_AUTO_TEST_CASE(one_is_the_pattern_for_several_groups)
{
    ewyk::least_loaded const pattern;
    ewyk::event_loop_group one(1, {}, pattern);
    ewyk::event_loop_group two(2, {}, pattern);
    BOOST_TEST(&one.next() == &one[0]);
    auto const chosen = choose_of_two(two, 10);
    BOOST_TEST(chosen[0] == 5);
    ewyk::least_loaded other;
    other = pattern;
    BOOST_TEST(other(one) == 0u);
}

BOOST_AUTO_TEST_CASE(cpu_time_of_a_loop)
{
    event done;
    ewyk::event_loop loop;
    BOOST_TEST(loop.cpu_time().count() == 0);
    if (!ewyk::detail::has_cpu_clocks)
        return;
    asio::post(loop, [&] {
        while (loop.cpu_time() < 5ms)
        {
        }
        done.set();
    });
    BOOST_TEST_REQUIRE(done.wait());
    auto const before = loop.cpu_time();
    BOOST_TEST((before >= 5ms));
    // What it was at the end stays.
    BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
    auto const at_end = loop.cpu_time();
    BOOST_TEST((at_end >= before));
    BOOST_TEST((loop.cpu_time() == at_end));
}

// While threads begin and end.
BOOST_AUTO_TEST_CASE(cpu_time_of_a_loop_that_ends)
{
    for (int i = 0; i != 50; ++i)
    {
        ewyk::event_loop loop;
        auto last = 0ns;
        bool only_grows = true;
        loop.start();
        asio::post(loop, [&] { loop.stop(); });
        while (!loop.terminated())
        {
            auto const now = loop.cpu_time();
            only_grows = only_grows && now >= last;
            last = now;
        }
        BOOST_TEST(only_grows);
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
