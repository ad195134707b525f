// The reactor's sleep and its wake-ups in every interleaving of those who post, produce and hand
// over.

#include "check.hpp"

BOOST_AUTO_TEST_SUITE(reactor)

BOOST_DATA_TEST_CASE(loses_no_wake_up, model::reactor_models(), each)
{
    model::check(each);
}

BOOST_AUTO_TEST_SUITE_END()
