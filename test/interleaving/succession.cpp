// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The succession that ships, with its lease, in every interleaving of the callers of run(), of the
// pool's threads, of those that take over, that post and that stop.

#include "succession_models.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cstdio>

BOOST_AUTO_TEST_SUITE(succession)

namespace {

std::size_t explored = 0;
std::size_t states = 0;

}

BOOST_DATA_TEST_CASE(has_one_producer_and_loses_no_request, interleaving::all_models(), each)
{
    auto const found = interleaving::explore(interleaving::succession_maker(each.what), 30'000'000);
    ++explored;
    states += found.states;
    BOOST_TEST_MESSAGE(each.name << ": " << found.states << " states, " << found.executions
                                 << " executions, " << found.ends << " ends");
    BOOST_TEST(found.complete, "too many states to see them all");
    BOOST_TEST(found.wrong.empty(), found.wrong << found.story);
    BOOST_TEST(found.ends != 0u);
}

BOOST_AUTO_TEST_CASE(all_are_explored,
    *boost::unit_test::depends_on("succession/has_one_producer_and_loses_no_request"))
{
    std::printf("the succession that ships: %zu models, %zu states explored\n", explored, states);
    BOOST_TEST(explored != 0u);
}

BOOST_AUTO_TEST_SUITE_END()
