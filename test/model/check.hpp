// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Explores a model and checks that nothing is wrong with it.

#ifndef ASIO_EWYK_TEST_MODEL_CHECK_HPP
#define ASIO_EWYK_TEST_MODEL_CHECK_HPP

#include "models.hpp"
#include "step_models.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <cstdio>

namespace model {

/// What was explored; says so when the program ends, so that a model that explores nothing is seen.
struct explored_so_far
{
    std::size_t models = 0;
    std::size_t states = 0;

    ~explored_so_far()
    {
        if (models != 0)
            std::printf("%zu models, %zu states explored\n", models, states);
    }
};

inline explored_so_far explored;

inline void check(named_setup const& n)
{
    auto const found = explore(protocol(n.what));
    ++explored.models;
    explored.states += found.states;
    BOOST_TEST_MESSAGE(n.name << ": " << found.states << " states, " << found.transitions
                              << " transitions, " << found.ends << " ends");
    BOOST_TEST(found.complete, "too many states to see them all");
    BOOST_TEST(found.wrong.empty(), found.story());
    BOOST_TEST(found.ends != 0u);
}

}

#endif
