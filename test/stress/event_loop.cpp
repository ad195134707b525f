// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// One loop and those that post to it.

#include "stress.hpp"

using namespace stress;

BOOST_AUTO_TEST_SUITE(event_loop)

// Nothing but a wake-up ends the loop's sleep: one that is lost is never made up for.
BOOST_AUTO_TEST_CASE(each_post_runs_once_and_in_its_order)
{
    constexpr std::size_t posters = 4;
    std::size_t const each = scaled(10'000'000) / posters;
    std::atomic<std::size_t> disorder{0};
    ewyk::event_loop loop;
    tally ran(posters * each);
    crowd threads;
    threads.add(posters, [&](std::size_t poster) {
        std::size_t next = 0;
        post_in_bursts(loop, poster, each, [&](std::size_t i) {
            ran.count(poster * each + i);
            disorder += i != next++;
        });
    });
    threads.join();
    BOOST_TEST(ran.wrong() == 0u);
    BOOST_TEST(disorder == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
