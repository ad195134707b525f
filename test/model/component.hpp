// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Checks of a component that has a model of its own: a System made from a config, whose member
// `wrong` says how it is made worse.

#ifndef ASIO_EWYK_TEST_MODEL_COMPONENT_HPP
#define ASIO_EWYK_TEST_MODEL_COMPONENT_HPP

#include "explorer.hpp"
#include "named.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cstddef>

namespace model {

/// Explores it whole, and checks that nothing is wrong with it. How many states there are.
template <class System, class Config>
std::size_t check_component(named<Config> const& each)
{
    auto const found = explore(System(each.what));
    BOOST_TEST_MESSAGE(each.name << ": " << found.states << " states, " << found.transitions
                                 << " transitions, " << found.ends << " ends");
    BOOST_TEST(found.complete);
    BOOST_TEST(found.wrong.empty(), found.story());
    BOOST_TEST(found.ends != 0u);
    return found.states;
}

/// Checks that one of the configs shows the flaw. Whether one does.
template <class System, class Configs, class Flaw>
bool check_flaw_is_found(Configs const& configs, named<Flaw> const& each)
{
    for (auto n : configs)
    {
        n.what.wrong = each.what;
        if (auto const found = explore(System(n.what)); !found.wrong.empty())
        {
            BOOST_TEST_MESSAGE("\"" << each.name << "\" shows in \"" << n.name << "\": " << found.wrong);
            return true;
        }
    }
    BOOST_TEST(false, "no model shows that " << each.name);
    return false;
}

}

#endif
