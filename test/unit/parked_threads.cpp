// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The set of parked threads: which a claim finds, and that none is claimed twice or lost.

#include "pool_support.hpp"
#include <asio_ewyk/detail/pool/parked_threads.hpp>

#include <latch>

using namespace support;

BOOST_AUTO_TEST_SUITE(parked_threads)

namespace {

using set = ewyk::detail::parked_threads;
constexpr auto none = set::none;

// Below, at and above the size of a word, where the next one begins.
constexpr std::size_t capacities[] = {1, 2, 63, 64, 65, 128, 200};

std::vector<std::size_t> claim_all(set& parked)
{
    std::vector<std::size_t> claimed;
    for (std::size_t i = parked.claim(); i != none; i = parked.claim())
        claimed.push_back(i);
    return claimed;
}

BOOST_DATA_TEST_CASE(is_empty_at_first, capacities, capacity)
{
    set parked(capacity);
    BOOST_TEST(parked.size() == 0u);
    BOOST_TEST(parked.claim() == none);
    for (std::size_t i = 0; i != capacity; ++i)
        BOOST_TEST(!parked.withdraw(i));
}

BOOST_DATA_TEST_CASE(a_parked_thread_is_claimed_once, capacities, capacity)
{
    set parked(capacity);
    for (std::size_t i = 0; i != capacity; ++i)
    {
        parked.park(i);
        BOOST_TEST(parked.size() == 1u);
        BOOST_TEST(parked.claim() == i);
        BOOST_TEST(parked.size() == 0u);
        BOOST_TEST(parked.claim() == none);
        BOOST_TEST(!parked.withdraw(i));
    }
}

BOOST_DATA_TEST_CASE(a_withdrawn_thread_is_not_claimed, capacities, capacity)
{
    set parked(capacity);
    for (std::size_t i = 0; i != capacity; ++i)
    {
        parked.park(i);
        BOOST_TEST(parked.withdraw(i));
        BOOST_TEST(!parked.withdraw(i));
        BOOST_TEST(parked.claim() == none);
        BOOST_TEST(parked.size() == 0u);
    }
}

// So that the others can grow old and end.
BOOST_DATA_TEST_CASE(the_lowest_is_claimed_first, capacities, capacity)
{
    set parked(capacity);
    std::vector<std::size_t> expected;
    for (std::size_t i = capacity; i-- != 0;)
    {
        parked.park(i);
        expected.insert(expected.begin(), i);
        BOOST_TEST(parked.size() == expected.size());
    }
    BOOST_TEST(claim_all(parked) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(withdrawing_one_leaves_the_others)
{
    set parked(130);
    for (std::size_t const i : {0u, 63u, 64u, 127u, 128u, 129u})
        parked.park(i);
    BOOST_TEST(parked.withdraw(64));
    BOOST_TEST(parked.withdraw(128));
    BOOST_TEST(parked.size() == 4u);
    std::vector<std::size_t> const expected{0, 63, 127, 129};
    BOOST_TEST(claim_all(parked) == expected, boost::test_tools::per_element());
}

// Each index stands for a thread that belongs to one owner at a time: the set, or what has claimed
// or withdrawn it. A stack of threads lost one in this situation (jetty/jetty.project#1970).
BOOST_AUTO_TEST_CASE(each_claim_is_exclusive)
{
    constexpr std::size_t capacity = 70;
    constexpr int threads = 4;
    constexpr int turns = 20000;
    set parked(capacity);
    std::vector<std::atomic<bool>> owned(capacity);
    std::atomic<int> double_claims{0};
    std::atomic<int> claims{0};
    for (std::size_t i = 0; i != capacity; ++i)
        parked.park(i);

    auto const own = [&](std::size_t i) {
        if (owned[i].exchange(true))
            ++double_claims;
    };
    auto const give_back = [&](std::size_t i) {
        owned[i] = false;
        parked.park(i);
    };

    std::latch begin(threads);
    std::vector<std::thread> users;
    for (int t = 0; t != threads; ++t)
        users.emplace_back([&, t] {
            // Some hold more at a time than others, so that claims run into words that are empty.
            std::vector<std::size_t> held;
            std::size_t const most = static_cast<std::size_t>(t) * 25 + 1;
            begin.arrive_and_wait();
            for (int i = 0; i != turns; ++i)
            {
                if (std::size_t const c = parked.claim(); c != none)
                {
                    own(c);
                    held.push_back(c);
                    ++claims;
                }
                std::size_t const w = static_cast<std::size_t>(i) % capacity;
                if (parked.withdraw(w))
                {
                    own(w);
                    held.push_back(w);
                }
                if (held.size() >= most)
                {
                    for (std::size_t const h : held)
                        give_back(h);
                    held.clear();
                }
            }
            for (std::size_t const h : held)
                give_back(h);
        });
    for (auto& u : users)
        u.join();

    BOOST_TEST(double_claims == 0);
    BOOST_TEST(claims > 0);
    BOOST_TEST(parked.size() == capacity);
    BOOST_TEST(claim_all(parked).size() == capacity);
}

// A claim fails only if none is parked: two users that hold one thread each leave two for it.
BOOST_AUTO_TEST_CASE(whoever_is_parked_is_found)
{
    constexpr std::size_t threads = 4;
    constexpr int turns = 20000;
    set parked(threads);
    std::atomic<int> not_found{0};
    for (std::size_t i = 0; i != threads; ++i)
        parked.park(i);

    std::latch begin(2);
    auto const use = [&] {
        begin.arrive_and_wait();
        for (int i = 0; i != turns; ++i)
        {
            std::size_t const c = parked.claim();
            if (c == none)
                ++not_found;
            else
                parked.park(c);
        }
    };
    std::thread other(use);
    use();
    other.join();
    BOOST_TEST(not_found == 0);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
