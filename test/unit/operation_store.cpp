// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The records of tracked operations: no two operations have one, and those that are given back are
// used again, whichever thread does it. The program has no hook, so the lanes are free for the test.

#include "support.hpp"

#include <asio_ewyk/detail/tracking/operation_record.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <set>
#include <thread>
#include <vector>

BOOST_AUTO_TEST_SUITE(operation_store)

namespace {

using namespace support;
using ewyk::detail::operation_record;
using ewyk::detail::shared_tracking_lane;
using store = ewyk::detail::operation_store;

std::vector<operation_record*> take(std::size_t n, unsigned lane)
{
    std::vector<operation_record*> all;
    for (std::size_t i = 0; i != n; ++i)
        all.push_back(store::take(lane));
    return all;
}

} // namespace

BOOST_AUTO_TEST_CASE(gives_each_record_once)
{
    std::vector<operation_record*> all;
    for (unsigned lane : {0u, 1u, shared_tracking_lane, 0u, shared_tracking_lane})
    {
        auto const some = take(333, lane);
        all.insert(all.end(), some.begin(), some.end());
    }
    BOOST_TEST((std::find(all.begin(), all.end(), nullptr) == all.end()));
    BOOST_TEST(std::set(all.begin(), all.end()).size() == all.size());
    for (operation_record* r : all)
        store::give_back(*r, 2);
}

// Of lanes that only take and lanes that only give back, as of a thread that creates operations and
// one that runs their handlers.
BOOST_AUTO_TEST_CASE(uses_records_again)
{
    constexpr std::size_t n = 100;
    std::set<operation_record*> known;
    std::size_t const lanes_used = 4;
    for (int round = 0; round != 20; ++round)
        for (unsigned from : {3u, 4u, shared_tracking_lane})
            for (unsigned to : {5u, 6u, 3u, shared_tracking_lane})
            {
                auto const all = take(n, from);
                known.insert(all.begin(), all.end());
                BOOST_TEST(std::set(all.begin(), all.end()).size() == n);
                for (operation_record* r : all)
                    store::give_back(*r, to);
            }
    // What is in use, what each lane may keep, and what the case before has given back.
    BOOST_TEST(known.size() <= n + lanes_used * 64 + 5 * 333);
    std::size_t const before = known.size();
    for (int round = 0; round != 100; ++round)
    {
        auto const all = take(n, 3);
        known.insert(all.begin(), all.end());
        for (operation_record* r : all)
            store::give_back(*r, 5);
    }
    BOOST_TEST(known.size() <= before + lanes_used * 64);
}

// Threads take and give back at once. A record that two have at a time is seen.
BOOST_AUTO_TEST_CASE(is_for_many_threads)
{
    std::vector<std::thread> all;
    std::atomic<int> twice{0};
    for (unsigned lane : {7u, 8u, shared_tracking_lane, shared_tracking_lane})
        all.emplace_back([&, lane] {
            for (int round = 0; round != 200; ++round)
            {
                auto const mine = take(80, lane);
                for (operation_record* r : mine)
                    r->begin({.number = lane}, false, nullptr, true);
                for (operation_record* r : mine)
                    if (r->number() != lane)
                        ++twice;
                for (operation_record* r : mine)
                    store::give_back(*r, lane);
            }
        });
    for (std::thread& t : all)
        t.join();
    BOOST_TEST(twice == 0);
}

BOOST_AUTO_TEST_SUITE_END()
