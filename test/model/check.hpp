// Explores a model and checks that nothing is wrong with it.

#ifndef ASIO_EWYK_TEST_MODEL_CHECK_HPP
#define ASIO_EWYK_TEST_MODEL_CHECK_HPP

#include "models.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace model {

inline void check(named_setup const& n)
{
    auto const found = explore(protocol(n.what));
    BOOST_TEST_MESSAGE(n.name << ": " << found.states << " states, " << found.transitions
                              << " transitions, " << found.ends << " ends");
    BOOST_TEST(found.complete, "too many states to see them all");
    BOOST_TEST(found.wrong.empty(), found.story());
    BOOST_TEST(found.ends != 0u);
}

}

#endif
