// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Each thread counts its own, and the sum has those of the threads that are gone.

#include "pool_support.hpp"

#include <asio_ewyk/detail/os/leased_tasks.hpp>

#include <cstdint>
#include <thread>
#include <vector>

BOOST_AUTO_TEST_SUITE(leased_tasks)

namespace {

using support::ewyk::detail::leased_tasks;

} // namespace

BOOST_AUTO_TEST_CASE(those_that_are_gone_count)
{
    leased_tasks all;
    leased_tasks::counter first;
    first.add(all);
    {
        leased_tasks::counter second, third, unused;
        second.add(all);
        second.add(all);
        third.add(all);
        BOOST_TEST(all.get() == 4u);
        {
            leased_tasks::counter fourth, without_a_place;
            fourth.add(all);
            without_a_place.add(all);
            without_a_place.add(all);
        }
        BOOST_TEST(all.get() == 7u);
    }
    first.add(all);
    BOOST_TEST(all.get() == 8u);
}

BOOST_AUTO_TEST_CASE(the_sum_never_falls)
{
    constexpr std::uint64_t rounds = 2000;
    leased_tasks all;
    std::vector<std::thread> threads;
    for (int i = 0; i != 2; ++i)
        threads.emplace_back([&] {
            for (std::uint64_t n = 0; n != rounds; ++n)
            {
                leased_tasks::counter mine;
                mine.add(all);
                mine.add(all);
            }
        });
    std::uint64_t last = 0;
    bool falls = false;
    while (last != 4 * rounds && !falls)
    {
        std::uint64_t const now = all.get();
        falls = now < last;
        last = now;
    }
    for (auto& t : threads)
        t.join();
    BOOST_TEST(!falls);
    BOOST_TEST(all.get() == 4 * rounds);
}

BOOST_AUTO_TEST_SUITE_END()
